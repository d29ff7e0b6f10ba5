# ulna_fmu: the part of the library that FMUs carry with them. It exports one function and holds only what that can
# reach: no report, and neither SDF nor HDF5, whose libraries would come along. It is linked from the objects that the
# library is made of, by way of an archive, so that the linker leaves out those that nobody needs.

set(objects "")
set(links "")
set(parts ${modules})
list(REMOVE_ITEM parts ulna_sdf ulna_hdf5 ulna_report)
foreach(module IN LISTS parts)
  get_target_property(type ${module} TYPE)
  if(type STREQUAL "OBJECT_LIBRARY")
    list(APPEND objects $<TARGET_OBJECTS:${module}>)
    get_target_property(of_module ${module} LINK_LIBRARIES)
    list(APPEND links ${of_module})
  endif()
endforeach()
list(REMOVE_DUPLICATES links)
# Imported targets are known in the folder that found them.
find_package(SUNDIALS QUIET COMPONENTS arkode cvode ida nvecserial sunmatrixdense sunlinsoldense)
find_package(ZLIB QUIET)
list(FILTER links EXCLUDE REGEX "^ulna_|NOTFOUND$")

set(CMAKE_CXX_ARCHIVE_CREATE "<CMAKE_AR> qcT <TARGET> <OBJECTS>")  # names the objects, without a copy of them
add_library(ulna_parts STATIC ${objects})
set_target_properties(ulna_parts PROPERTIES LINKER_LANGUAGE CXX)

add_library(ulna_fmu SHARED formats/sdf/sdf_missing.cpp formats/hdf5/hdf5_missing.cpp)
target_include_directories(ulna_fmu PRIVATE ${include_dirs} ${CMAKE_CURRENT_SOURCE_DIR}/formats)
target_compile_definitions(ulna_fmu PRIVATE ULNA_BUILDING ${ULNA_ALIGNMENT})
target_compile_features(ulna_fmu PRIVATE cxx_std_20)
set(exports ${CMAKE_CURRENT_SOURCE_DIR}/formats/fmu/exports.map)
target_link_options(ulna_fmu PRIVATE -Wl,-u,ulna_fmu_model -Wl,--gc-sections -Wl,--as-needed
                    -Wl,--version-script=${exports} $<$<CONFIG:Release>:-s>)
target_link_libraries(ulna_fmu PRIVATE ulna_parts ${links})
set_target_properties(ulna_fmu PROPERTIES BUILD_WITH_INSTALL_RPATH ON LINK_DEPENDS ${exports})
ulna_options(ulna_fmu)
add_dependencies(ulna ulna_fmu)  # whoever has the library writes FMUs with this part as new as it
