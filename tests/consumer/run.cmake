# Installs the build into a prefix of its own, moves it (an installation must not depend on its place),
# and builds and runs project/ against it with several compilers and flags. Run by CTest; see CMakeLists.txt.

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

# Robotics users compile for their own processor by habit, and with another compiler than ours.
function(build_and_run name compiler flags)
  set(build ${WORK_DIR}/${name})
  run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/project -B ${build} -G ${GENERATOR}
      -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_CXX_FLAGS=${flags} -D CMAKE_PREFIX_PATH=${prefix})
  run(${CMAKE_COMMAND} --build ${build})
  run(${build}/consumer)
endfunction()
build_and_run(plain ${CXX} "")
build_and_run(native ${CXX} "-O2 -march=native")
execute_process(COMMAND ${CXX} -march=native -dM -E -x c++ /dev/null OUTPUT_VARIABLE macros)
if(macros MATCHES "__AVX2__")
  build_and_run(avx2 ${CXX} "-O2 -mavx2 -mfma")
  # Without the target's definition the mismatch is an error of the compiler, not a crash.
  execute_process(COMMAND ${CXX} -std=c++20 -mavx2 -fsyntax-only -I${prefix}/${INCLUDEDIR} -I${EIGEN_INCLUDE}
                          ${CMAKE_CURRENT_LIST_DIR}/project/main.cpp
                  RESULT_VARIABLE status ERROR_VARIABLE output)
  if(status EQUAL 0 OR NOT output MATCHES "-DEIGEN_MAX_ALIGN_BYTES=16")
    message(FATAL_ERROR "a program with another alignment was not stopped with advice:\n${output}")
  endif()
endif()
find_program(CLANG clang++)
if(CLANG)
  build_and_run(clang ${CLANG} "-O2 -march=native")
else()
  message(FATAL_ERROR "clang++ was not found (Debian's package clang): the library is not tried with it")
endif()

# Without CMake: what pkg-config tells leads to the library wherever it was moved.
find_program(PKG_CONFIG NAMES pkg-config pkgconf)
if(NOT PKG_CONFIG)
  message(FATAL_ERROR "pkg-config was not found (Debian's package pkgconf): the file ulna.pc is not tried")
endif()
set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs ulna OUTPUT_VARIABLE words RESULT_VARIABLE status
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_VARIABLE output)
if(NOT status EQUAL 0 OR NOT words MATCHES "-I${prefix}/")
  message(FATAL_ERROR "pkg-config told '${words}', not where the library lies now: ${output}")
endif()
separate_arguments(words UNIX_COMMAND "${words}")
run(${CXX} -std=c++20 -O2 -march=native ${CMAKE_CURRENT_LIST_DIR}/project/main.cpp -o ${WORK_DIR}/by_pkg_config ${words}
    -Wl,-rpath,${prefix}/${LIBDIR})
run(${WORK_DIR}/by_pkg_config)

# As sources in another project: configured whole, and its program compiled against the headers where they lie. The
# library would only be built a second time.
set(build ${WORK_DIR}/fetched)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/fetched -B ${build} -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${CXX}
    -D CMAKE_BUILD_TYPE=Release -D CMAKE_EXPORT_COMPILE_COMMANDS=ON -D ULNA_SOURCE=${SOURCE_DIR})
file(READ ${build}/compile_commands.json commands)
string(JSON count LENGTH "${commands}")
math(EXPR last "${count} - 1")
set(command "")
foreach(k RANGE ${last})
  string(JSON file GET "${commands}" ${k} file)
  if(file MATCHES "consumer/project/main.cpp$")
    string(JSON command GET "${commands}" ${k} command)
  endif()
endforeach()
run(${CMAKE_COMMAND} -E chdir ${build} sh -c "mkdir -p CMakeFiles/consumer.dir && ${command} -fsyntax-only")

if(HAVE_CLI)
  run(${prefix}/${BINDIR}/ulna --version)
endif()
