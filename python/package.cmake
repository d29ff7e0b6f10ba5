# What goes into the wheel: the module, and beside it the shared libraries it needs that a system may
# lack (Debian's static ones cannot be linked into a module). The C and C++ runtimes are left out, and HDF5: Debian's
# brings libcurl and with it thirty libraries of the network. The part that writes HDF5 is loaded when it is asked for,
# and says what to install where HDF5 is missing.
# A plain `cmake --install` has nothing of it.

# (The same path in the build tree: see cmake/UlnaInstall.cmake.)
set_target_properties(ulna_python PROPERTIES INSTALL_RPATH $ORIGIN/lib
                                             BUILD_WITH_INSTALL_RPATH ON)
install(TARGETS ulna_python DESTINATION ulna COMPONENT python EXCLUDE_FROM_ALL)
install(TARGETS ulna_fmu LIBRARY DESTINATION ulna/lib COMPONENT python EXCLUDE_FROM_ALL)
set(modules_of_wheel $<TARGET_FILE:ulna_python>)
foreach(part IN LISTS parts)
  install(TARGETS ${part} LIBRARY DESTINATION ulna/lib COMPONENT python EXCLUDE_FROM_ALL)
  set_target_properties(${part} PROPERTIES INSTALL_RPATH $ORIGIN)
  list(APPEND modules_of_wheel $<TARGET_FILE:${part}>)
endforeach()
install(CODE "set(modules \"${modules_of_wheel}\")" COMPONENT python EXCLUDE_FROM_ALL)
install(CODE [[
  file(GET_RUNTIME_DEPENDENCIES MODULES ${modules}
       PRE_EXCLUDE_REGEXES "^libhdf5"
       RESOLVED_DEPENDENCIES_VAR libraries UNRESOLVED_DEPENDENCIES_VAR missing
       POST_EXCLUDE_REGEXES "/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|stdc[+][+]|gcc_s))[.](so|dylib).*")
  if(missing)
    message(FATAL_ERROR "not found: ${missing}")
  endif()
  foreach(library IN LISTS libraries)
    get_filename_component(name ${library} NAME)
    file(REAL_PATH ${library} file)
    set(folder $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/ulna/lib)
    message(STATUS "Installing: ${folder}/${name}")
    file(MAKE_DIRECTORY ${folder})
    file(COPY_FILE ${file} ${folder}/${name})
  endforeach()
]] COMPONENT python EXCLUDE_FROM_ALL)

# The command `ulna` of the wheel is the static program, where its libraries are there to link it.
add_custom_target(ulna_wheel DEPENDS ulna_python ulna_fmu)
if(TARGET ulna_static)
  add_dependencies(ulna_wheel ulna_static)
  install(PROGRAMS $<TARGET_FILE:ulna_static> DESTINATION ulna/bin RENAME ulna COMPONENT python EXCLUDE_FROM_ALL)
endif()
