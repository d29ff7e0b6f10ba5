# ulna_static: the command line as one program without any shared library, not even the C library's, so that it runs on
# any Linux of its processor. It links the objects that the library and the command line are made of; nothing but
# fmt (of which Debian has no static library) is compiled again. Not part of `all`: `make package` asks for it.

get_property(modules GLOBAL PROPERTY ULNA_MODULES)
set(objects $<TARGET_OBJECTS:ulna_commands>)
# Of SDF, HDF5, NLopt and MPI there are no static libraries: the files that say so take their place.
set(without ${PROJECT_SOURCE_DIR}/src/study/optimize/search_missing.cpp
            ${PROJECT_SOURCE_DIR}/src/formats/sdf/sdf_missing.cpp ${PROJECT_SOURCE_DIR}/src/formats/hdf5/hdf5_missing.cpp
            ${PROJECT_SOURCE_DIR}/apps/ulna/sweep/ranks_missing.cpp)
list(REMOVE_ITEM modules ulna_sdf ulna_hdf5 ulna_search)
foreach(module IN LISTS modules)
  get_target_property(type ${module} TYPE)
  if(type STREQUAL "OBJECT_LIBRARY")
    list(APPEND objects $<TARGET_OBJECTS:${module}>)
  endif()
endforeach()

set(archives "")
set(names yaml-cpp pugixml sundials_arkode sundials_cvode sundials_ida)
get_property(deflates GLOBAL PROPERTY ULNA_ZLIB)
if(deflates)
  list(APPEND names z)
endif()
foreach(name IN LISTS names)
  find_library(ULNA_STATIC_${name} lib${name}.a)
  mark_as_advanced(ULNA_STATIC_${name})
  if(NOT ULNA_STATIC_${name})
    message(STATUS "lib${name}.a is missing: no static program")
    return()
  endif()
  list(APPEND archives ${ULNA_STATIC_${name}})
endforeach()

add_executable(ulna_static EXCLUDE_FROM_ALL main.cpp fmt_static.cpp ${without} ${objects})
set_target_properties(ulna_static PROPERTIES OUTPUT_NAME ulna-static
                      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/apps/ulna)
target_include_directories(ulna_static PRIVATE ${PROJECT_SOURCE_DIR}/apps/ulna)
# Headers only: the objects carry what they need of the others.
target_include_directories(ulna_static SYSTEM PRIVATE
  $<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES>)
get_property(include_dirs GLOBAL PROPERTY ULNA_INCLUDE_DIRS)
target_include_directories(ulna_static PRIVATE ${include_dirs} ${PROJECT_SOURCE_DIR}/src/formats)
target_compile_definitions(ulna_static PRIVATE ${ULNA_ALIGNMENT})
list(REMOVE_ITEM features SDF HDF5 NLopt MPI)
ulna_tell_version(ulna_static "${features}")
target_compile_features(ulna_static PRIVATE cxx_std_20)
target_link_options(ulna_static PRIVATE -static -Wl,--gc-sections -s)
target_link_libraries(ulna_static PRIVATE -Wl,--start-group ${archives} -Wl,--end-group)
