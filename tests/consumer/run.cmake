# Installs the build into a prefix of its own, moves it (an installation must not depend on its place),
# and builds and runs project/ against it. Run by CTest; see CMakeLists.txt.

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  list(JOIN ARGN " " command)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${command}\nfailed (${status}):\n${output}")
  endif()
  message(STATUS "${command}\n${output}")
endfunction()

# Default flags: nothing from the surroundings either.
foreach(variable IN ITEMS CXXFLAGS CPPFLAGS LDFLAGS CMAKE_BUILD_TYPE CPATH LD_LIBRARY_PATH DESTDIR)
  unset(ENV{${variable}})
endforeach()

file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --config ${CONFIG} --prefix ${WORK_DIR}/installed)
set(prefix ${WORK_DIR}/moved)
file(RENAME ${WORK_DIR}/installed ${prefix})

file(GLOB_RECURSE package ${prefix}/*.cmake)
foreach(file IN LISTS package)
  file(READ ${file} text)
  foreach(place IN ITEMS ${SOURCE_DIR}/ ${BUILD_DIR}/)
    string(FIND "${text}" ${place} found)
    if(NOT found EQUAL -1)
      message(FATAL_ERROR "${file} names a directory of the build: ${place}")
    endif()
  endforeach()
endforeach()

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/project -B ${WORK_DIR}/build -G ${GENERATOR}
    -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/consumer)
if(HAVE_CLI)
  run(${prefix}/${BINDIR}/ulna --version)
endif()
