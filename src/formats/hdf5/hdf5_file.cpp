// The one file that uses the HDF5 library, in a shared library of its own (hdf5_part.hpp).
#include <hdf5.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <type_traits>

#include "hdf5/hdf5_part.hpp"

namespace ulna {
namespace {

/// A handle of the library, closed at the end of its scope.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }
  bool good() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// HDF5 is for one thread at a time as a rule, and writes errors to stderr unless it is told not
/// to: what goes wrong is told here. The rest of the program keeps its own way.
class Turn {
 public:
  Turn() : one_(all()) {
    H5Eget_auto2(H5E_DEFAULT, &tell_, &with_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Turn() { H5Eset_auto2(H5E_DEFAULT, tell_, with_); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  static std::mutex& all() {
    static std::mutex mutex;
    return mutex;
  }
  const std::lock_guard<std::mutex> one_;
  H5E_auto2_t tell_ = nullptr;
  void* with_ = nullptr;
};

/// A file in memory. On a full disk HDF5 cannot close a file of its own: that file stays open, and
/// the library falls over it when the program ends.
hid_t create_in_memory(const std::string& name) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  constexpr std::size_t growth = 1 << 22;
  if (!access.good() || H5Pset_fapl_core(access, growth, false) < 0) return -1;
  return H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
}

/// The bytes of a file in memory; empty when they cannot be had.
std::vector<char> image_of(hid_t file) {
  if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0) return {};
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  std::vector<char> image(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  if (!image.empty() && H5Fget_file_image(file, image.data(), image.size()) < 0) return {};
  return image;
}

/// UTF-8 texts of any length.
hid_t text_type() {
  const hid_t type = H5Tcopy(H5T_C_S1);
  if (type < 0) return type;
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

bool add_attribute(hid_t object, const char* name, const std::string& text) {
  const Handle type(text_type(), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const char* const content = text.c_str();
  return attribute.good() && H5Awrite(attribute, type, &content) >= 0;
}

bool add_column(hid_t file, const Hdf5Column& column) {
  const hsize_t count = column.values.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Handle set(H5Dcreate2(file, column.name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT,
                              H5P_DEFAULT, H5P_DEFAULT),
                   H5Dclose);
  return set.good() &&
         (count == 0 || H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                 column.values.data()) >= 0) &&
         add_attribute(set, "unit", column.unit) && add_attribute(set, "title", column.title);
}

bool add_text(hid_t group, const Hdf5Text& text) {
  const Handle type(text_type(), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle set(
      H5Dcreate2(group, text.name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  const char* const content = text.content.c_str();
  return set.good() && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &content) >= 0;
}

}  // namespace

std::string write_hdf5_columns(const std::string& name, const std::vector<Hdf5Column>& columns,
                               const std::string& group_name, const std::vector<Hdf5Text>& texts) {
  const Turn turn;
  std::ofstream out(name, std::ios::binary);
  if (!out) return "the file cannot be created there";
  const Handle file(create_in_memory(name), H5Fclose);
  std::string problem = file.good() ? "" : "there is no memory for the file";
  for (const Hdf5Column& column : columns)
    if (problem.empty() && !add_column(file, column))
      problem = "column '" + column.name + "' cannot be written";
  if (problem.empty()) {
    const Handle group(H5Gcreate2(file, group_name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                       H5Gclose);
    for (const Hdf5Text& text : texts)
      if (problem.empty() && !add_text(group, text))
        problem = "text '" + text.name + "' cannot be written";
  }
  if (!problem.empty()) return problem;
  const std::vector<char> image = image_of(file);
  out.write(image.data(), std::ssize(image));
  out.close();
  return image.empty() || !out ? "the file cannot be completed" : "";
}

namespace {

/// Without times of its making.
hid_t plain_creation() {
  const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  if (list >= 0) H5Pset_obj_track_times(list, false);
  return list;
}

/// A dataset of one dimension that is filled from its beginning.
class Filling {
 public:
  Filling(hid_t file, const std::string& name, hid_t stored, hsize_t size)
      : space_(H5Screate_simple(1, &size, nullptr), H5Sclose),
        creation_(plain_creation(), H5Pclose),
        set_(H5Dcreate2(file, name.c_str(), stored, space_, H5P_DEFAULT, creation_, H5P_DEFAULT),
             H5Dclose),
        good_(set_.good()),
        size_(size) {}

  void add(hid_t type, const void* data, hsize_t count) {
    if (count == 0 || !good_) return;
    if (at_ + count > size_) {
      good_ = false;
      return;
    }
    const Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
    good_ = H5Sselect_hyperslab(space_, H5S_SELECT_SET, &at_, nullptr, &count, nullptr) >= 0 &&
            H5Dwrite(set_, type, memory, space_, H5P_DEFAULT, data) >= 0;
    at_ += count;
  }
  bool good() const { return good_; }
  bool full() const { return good_ && at_ == size_; }
  hid_t set() const { return set_; }

 private:
  Handle space_, creation_, set_;
  bool good_;
  hsize_t at_ = 0, size_;
};

bool add_source(hid_t file, const Hdf5Source& source) {
  Filling filling(file, source.name, source.whole ? H5T_STD_I64LE : H5T_IEEE_F64LE,
                  static_cast<hsize_t>(source.size));
  if (!filling.good()) return false;
  source.values([&](std::span<const double> piece) {
    filling.add(H5T_NATIVE_DOUBLE, piece.data(), piece.size());
  });
  return filling.full() && add_attribute(filling.set(), "unit", source.unit);
}

bool add_list(hid_t file, const Hdf5List& list) {
  const Handle type(text_type(), H5Tclose);
  Filling filling(file, list.name, type, static_cast<hsize_t>(list.size));
  if (!filling.good()) return false;
  list.texts([&](std::span<const std::string> piece) {
    std::vector<const char*> content;
    for (const std::string& text : piece) content.push_back(text.c_str());
    filling.add(type, content.data(), content.size());
  });
  return filling.full();
}

bool add_plain_text(hid_t file, const Hdf5Text& text) {
  const Handle type(text_type(), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose),
      creation(plain_creation(), H5Pclose);
  const Handle set(
      H5Dcreate2(file, text.name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
      H5Dclose);
  const char* const content = text.content.c_str();
  return set.good() && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &content) >= 0;
}

}  // namespace

std::string write_hdf5_sources(const std::string& name, const std::vector<std::string>& groups,
                               const std::vector<Hdf5Source>& sources,
                               const std::vector<Hdf5List>& lists,
                               const std::vector<Hdf5Text>& texts) {
  H5dont_atexit();  // as above; this file may be too large for the memory
  const Turn turn;
  const hid_t file = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0) return "the file cannot be created there";
  std::string problem;
  for (const std::string& group : groups) {
    const Handle made(H5Gcreate2(file, group.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                      H5Gclose);
    if (!made.good()) problem = "group '" + group + "' cannot be written";
  }
  for (const Hdf5Source& source : sources)
    if (problem.empty() && !add_source(file, source))
      problem = "column '" + source.name + "' cannot be written";
  for (const Hdf5List& list : lists)
    if (problem.empty() && !add_list(file, list))
      problem = "texts '" + list.name + "' cannot be written";
  for (const Hdf5Text& text : texts)
    if (problem.empty() && !add_plain_text(file, text))
      problem = "text '" + text.name + "' cannot be written";
  if (H5Fclose(file) < 0 && problem.empty()) problem = "the file cannot be completed";
  return problem;
}

extern "C" __attribute__((visibility("default"))) void ulna_hdf5_part(Hdf5Part& part) {
  part = {write_hdf5_columns, write_hdf5_sources};
}
static_assert(std::is_same_v<decltype(ulna_hdf5_part), GetHdf5Part>);

}  // namespace ulna
