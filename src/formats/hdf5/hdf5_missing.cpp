#include "hdf5/hdf5_file.hpp"

namespace ulna {

std::string write_hdf5_columns(const std::string&, const std::vector<Hdf5Column>&,
                               const std::string&, const std::vector<Hdf5Text>&) {
  return "Ulna was built without HDF5: tools/install-packages hdf5, then build again";
}

std::string write_hdf5_sources(const std::string&, const std::vector<std::string>&,
                               const std::vector<Hdf5Source>&, const std::vector<Hdf5List>&,
                               const std::vector<Hdf5Text>&) {
  return "Ulna was built without HDF5: tools/install-packages hdf5, then build again";
}

}  // namespace ulna
