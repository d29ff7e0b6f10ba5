# ulna_module(NAME [LIGHTLY_OPTIMISED] [BATCH kB] [SOURCES ...] [ALONE ...] [KERNELS ...] [USES ...] [LINKS ...])
#
# One target per module. Its include directory reaches only the modules that say USES, so an include
# of a module further down the list does not compile. SOURCES are compiled for plain x86-64, about BATCH kB (40 by
# default) of them at a time in one translation unit: most of a file's cost is Eigen's templates, which files
# of one module share. ALONE names sources that are heavy by themselves.
# KERNELS are compiled once for each instruction set (see ULNA_INSTRUCTION_SETS) with the macro
# ULNA_ISA naming the variant; the choice among them is made when the library is loaded.

set(ULNA_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                  -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
option(ULNA_WERROR "Refuse code with warnings" ON)
if(NOT ULNA_WERROR)  # for those who only want to install it, with a compiler unknown to us
  list(REMOVE_ITEM ULNA_WARNINGS -Werror)
endif()

set(ULNA_BATCH_FACTOR 1 CACHE STRING "How many times larger batches are: what is built once only compiles in less time")
if(ULNA_BATCH_FACTOR GREATER 1)  # files that see each other's constants
  list(REMOVE_ITEM ULNA_WARNINGS -Wshadow)
  list(APPEND ULNA_WARNINGS $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>)
endif()

# -O3 and the compiler's own vectorisation cost a fifth of the build and bring nothing here: what is hot is a kernel,
# with flags of its own, or in Eigen, which vectorises by itself.
set(ULNA_OPTIMISED $<$<CONFIG:Release>:-O2> $<$<CONFIG:Release>:-fno-tree-vectorize>)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(ULNA_OPTIMISED $<$<CONFIG:Release>:-O2>)
endif()

# Kernels: measured on g++ 12; SLP vectorisation of scalar 3-vectors costs more than it brings.
# Contraction is stated so that every compiler fuses the same way.
set(ULNA_KERNEL_FLAGS -O2 -fno-tree-slp-vectorize -fno-math-errno -ffp-contract=fast)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(ULNA_KERNEL_FLAGS -O2 -fno-slp-vectorize -fno-math-errno -ffp-contract=fast)
endif()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(ULNA_INSTRUCTION_SETS baseline v3 v4)
else()
  set(ULNA_INSTRUCTION_SETS baseline)
endif()
set(ULNA_FLAGS_baseline "")
set(ULNA_FLAGS_v3 -march=x86-64-v3)
set(ULNA_FLAGS_v4 -march=x86-64-v4 -mprefer-vector-width=512)

# Eigen aligns its memory by the instruction set a file is compiled for, and so would make the library
# unusable from a program compiled with -march=native. Everything but the kernels, which take raw pointers,
# keeps to what plain x86-64 has; the exported target tells its users (ulna/scalar/parts/alignment.hpp).
set(ULNA_ALIGNMENT EIGEN_MAX_ALIGN_BYTES=16 EIGEN_MALLOC_ALREADY_ALIGNED=1)

function(ulna_options target)
  target_compile_options(${target} PRIVATE ${ULNA_WARNINGS} -Wno-psabi)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 reports uninitialised padding inside its own vector intrinsics and Eigen's packets, and
    # (GCC bugs 105651 and 105329) overlaps and overflows inside `"text" + std::string`.
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow
                                             -Wno-stringop-overread
                                             -Wno-array-bounds)
  endif()
  if(ULNA_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${ULNA_SANITIZE} -fno-omit-frame-pointer -g)
    target_link_options(${target} PUBLIC -fsanitize=${ULNA_SANITIZE})
  endif()
  if((ULNA_SANITIZE OR ULNA_FUZZ) AND NOT target MATCHES "_v[34]$")
    # Under the address sanitizer Eigen lays out its allocations differently, and could then share no
    # matrix with libraries (KDL) and users compiled without it. The sanitizer's malloc aligns to 16, too.
    target_compile_definitions(${target} PRIVATE EIGEN_MALLOC_ALREADY_ALIGNED=1)
  endif()
  if(ULNA_COVERAGE)
    target_compile_options(${target} PRIVATE --coverage)
    target_link_options(${target} PUBLIC --coverage)
  endif()
  if(ULNA_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link,address)
    target_link_options(${target} PUBLIC -fsanitize=address)
  endif()
endfunction()

option(ULNA_BATCHES "Compile several sources at a time: a build from nothing takes half the time, one after a small change longer" ON)

# Several sources of a target in one translation unit, which share what their headers cost; called when the target has
# all its sources. CMake's own unity builds name sources by absolute paths, so that a compiler cache would know them
# only in one folder; these name them from the root of the project. A batch is full at KILOBYTES of source, which
# foretells its time to compile better than the number of files does. Sources marked SKIP_UNITY_BUILD_INCLUSION stay alone.
function(ulna_batches target kilobytes)
  if(NOT ULNA_BATCHES)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(alone "")
  set(includes "")
  set(filled 0)
  set(batch 0)
  math(EXPR bytes "1000 * ${kilobytes} * ${ULNA_BATCH_FACTOR}")
  foreach(source IN LISTS sources)
    get_source_file_property(skip ${source} SKIP_UNITY_BUILD_INCLUSION)
    get_source_file_property(generated ${source} GENERATED)
    if(skip OR generated OR NOT source MATCHES "\\.cpp$")
      list(APPEND alone ${source})
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
    file(SIZE ${source} size)
    math(EXPR with_it "${filled} + ${size}")
    if(filled GREATER 0 AND with_it GREATER ${bytes})
      ulna_write_batch(${target} ${batch} "${includes}" alone)
      set(includes "")
      set(with_it ${size})
      math(EXPR batch "${batch} + 1")
    endif()
    string(APPEND includes "#include \"${name}\"\n")
    set(filled ${with_it})
  endforeach()
  if(includes)
    ulna_write_batch(${target} ${batch} "${includes}" alone)
  endif()
  set_target_properties(${target} PROPERTIES SOURCES "${alone}")
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
endfunction()

function(ulna_write_batch target number content list)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_batch_${number}.cpp)
  file(CONFIGURE OUTPUT ${file} CONTENT "${content}" @ONLY)  # leaves it alone where nothing changes
  set(${list} ${${list}} ${file} PARENT_SCOPE)
endfunction()

# What nearly every file reads, compiled once. g++ takes a precompiled header only with the flags and
# definitions it was made with, and its optimisation level wins silently over that of the file: a target with
# another level (kernels, tests) must not use this one.
function(ulna_precompiled_header target)
  add_library(${target} OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
  target_link_libraries(${target} PUBLIC Eigen3::Eigen fmt::fmt)
  target_compile_definitions(${target} PRIVATE ${ULNA_ALIGNMENT})
  ulna_options(${target})
  target_compile_options(${target} PRIVATE ${ARGN})
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <cmath> <complex> <functional> <map> <memory> <optional> <random> <set> <span> <string>
    <variant> <vector> <fmt/format.h> <Eigen/Core> <Eigen/Geometry>)
endfunction()
ulna_precompiled_header(ulna_precompiled ${ULNA_OPTIMISED})
# What reads, writes and prints spends its time elsewhere: -O1 compiles it in three quarters of the time.
set(ULNA_LIGHTLY $<$<CONFIG:Release>:-O1>)
ulna_precompiled_header(ulna_precompiled_lightly ${ULNA_LIGHTLY})

# Compiles a target lightly optimised, with the precompiled header made so.
function(ulna_optimise_lightly target)
  target_compile_options(${target} PRIVATE ${ULNA_LIGHTLY})
  target_precompile_headers(${target} REUSE_FROM ulna_precompiled_lightly)
endfunction()

function(ulna_module name)
  cmake_parse_arguments(M "LIGHTLY_OPTIMISED" "BATCH" "SOURCES;ALONE;KERNELS;USES;LINKS" ${ARGN})
  foreach(used IN LISTS M_USES)
    if(NOT TARGET ulna_${used})
      message(FATAL_ERROR "module ${name} may not use ${used}: only modules above it in src/CMakeLists.txt")
    endif()
  endforeach()
  list(TRANSFORM M_USES PREPEND ulna_)
  set(target ulna_${name})
  set(include_dir $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>)
  if(M_SOURCES)
    add_library(${target} OBJECT ${M_SOURCES} ${M_ALONE})
    set_target_properties(${target} PROPERTIES ULNA_SOURCES "${M_SOURCES};${M_ALONE}")  # before batching
    if(M_LIGHTLY_OPTIMISED)
      ulna_optimise_lightly(${target})
    else()
      target_compile_options(${target} PRIVATE ${ULNA_OPTIMISED})
      target_precompile_headers(${target} REUSE_FROM ulna_precompiled)
    endif()
    if(NOT M_BATCH)
      set(M_BATCH 40)
    endif()
    set_source_files_properties(${M_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    ulna_batches(${target} ${M_BATCH})
    target_include_directories(${target} PUBLIC ${include_dir} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(${target} PUBLIC ${M_USES} ${M_LINKS})
    target_compile_definitions(${target} PRIVATE ULNA_BUILDING ${ULNA_ALIGNMENT})
    if("v4" IN_LIST ULNA_INSTRUCTION_SETS)
      target_compile_definitions(${target} PRIVATE ULNA_ALL_KERNELS)
    endif()
    ulna_options(${target})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${include_dir})
    target_link_libraries(${target} INTERFACE ${M_USES} ${M_LINKS})
  endif()
  set_property(GLOBAL APPEND PROPERTY ULNA_MODULES ${target})
  set_property(GLOBAL APPEND PROPERTY ULNA_INCLUDE_DIRS ${CMAKE_CURRENT_SOURCE_DIR}/include)

  if(M_KERNELS)
    foreach(isa IN LISTS ULNA_INSTRUCTION_SETS)
      set(kernel ${target}_${isa})
      add_library(${kernel} OBJECT ${M_KERNELS})
      target_link_libraries(${kernel} PRIVATE ${target})
      target_include_directories(${kernel} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
      target_compile_definitions(${kernel} PRIVATE ULNA_BUILDING ULNA_ISA=${isa})
      ulna_options(${kernel})
      target_compile_options(${kernel} PRIVATE ${ULNA_FLAGS_${isa}}
                             "$<$<NOT:$<CONFIG:Debug>>:${ULNA_KERNEL_FLAGS}>")
      set_property(GLOBAL APPEND PROPERTY ULNA_MODULES ${kernel})
    endforeach()
  endif()
endfunction()
