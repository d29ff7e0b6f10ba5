#include "beside_library.hpp"
#include "hdf5/hdf5_part.hpp"

namespace ulna {
namespace {

/// The functions of the part, or why there are none.
struct Loaded {
  Loaded() {
    const auto get = reinterpret_cast<GetHdf5Part*>(
        function_of_part("libulna_hdf5.so", get_hdf5_part_name, problem));
    if (get)
      get(part);
    else
      problem = "the part of Ulna that writes HDF5 cannot be loaded: " + problem +
                "; install Ulna and the HDF5 library again";
  }
  Hdf5Part part{};
  std::string problem;
};

const Loaded& loaded() {
  static const Loaded once;
  return once;
}

}  // namespace

std::string write_hdf5_columns(const std::string& file, const std::vector<Hdf5Column>& columns,
                               const std::string& group, const std::vector<Hdf5Text>& texts) {
  const Loaded& all = loaded();
  return all.part.columns ? all.part.columns(file, columns, group, texts) : all.problem;
}

std::string write_hdf5_sources(const std::string& file, const std::vector<std::string>& groups,
                               const std::vector<Hdf5Source>& sources,
                               const std::vector<Hdf5List>& lists,
                               const std::vector<Hdf5Text>& texts) {
  const Loaded& all = loaded();
  return all.part.sources ? all.part.sources(file, groups, sources, lists, texts) : all.problem;
}

}  // namespace ulna
