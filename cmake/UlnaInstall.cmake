# What `cmake --install` leaves behind: the headers of all modules merged into include/ulna (those in
# internal/ are the library's own), the library,
# the command line, and the package for find_package(ulna CONFIG), which gives ulna::ulna.
#
# The library links the modules' object files PRIVATE, so that they do not enter the export set.

include(CMakePackageConfigHelpers)

set(ULNA_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/ulna)

get_property(include_dirs GLOBAL PROPERTY ULNA_INCLUDE_DIRS)
foreach(dir IN LISTS include_dirs)
  install(DIRECTORY ${dir}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
          FILES_MATCHING PATTERN "*.hpp" PATTERN internal EXCLUDE)
endforeach()

install(TARGETS ulna EXPORT ulnaTargets LIBRARY COMPONENT library NAMELINK_COMPONENT development)
# The part for FMUs, which only `ulna fmu` looks for.
install(TARGETS ulna_fmu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/ulna COMPONENT library)
get_property(parts GLOBAL PROPERTY ULNA_PARTS)
if(parts)  # loaded when they are asked for
  install(TARGETS ${parts} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/ulna COMPONENT library)
endif()

if(TARGET ulna_cli)
  # The program finds the library beside it, wherever the two are moved.
  file(RELATIVE_PATH library_from_program /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  # The same path serves in the build tree, by a link: where the two differ, CMake makes room for the other one with
  # empty entries, each of which is the current directory to the loader.
  set_target_properties(ulna_cli PROPERTIES INSTALL_RPATH $ORIGIN/${library_from_program}
                                            BUILD_WITH_INSTALL_RPATH ON)
  get_filename_component(link ${PROJECT_BINARY_DIR}/apps/ulna/${library_from_program} ABSOLUTE)
  get_filename_component(folder ${link} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${PROJECT_BINARY_DIR}/src ${link} SYMBOLIC)
  install(TARGETS ulna_cli COMPONENT program)
endif()

install(EXPORT ulnaTargets NAMESPACE ulna:: DESTINATION ${ULNA_INSTALL_CMAKEDIR} COMPONENT development)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/ulnaConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/ulnaConfig.cmake
                              INSTALL_DESTINATION ${ULNA_INSTALL_CMAKEDIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ulnaConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ulnaConfig.cmake ${PROJECT_BINARY_DIR}/ulnaConfigVersion.cmake
        DESTINATION ${ULNA_INSTALL_CMAKEDIR} COMPONENT development)
# pkg-config, too, finds an installation that was moved.
file(RELATIVE_PATH ULNA_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" ULNA_PREFIX_FROM_PC ${ULNA_PREFIX_FROM_PC})
configure_file(${CMAKE_CURRENT_LIST_DIR}/ulna.pc.in ${PROJECT_BINARY_DIR}/ulna.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ulna.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
