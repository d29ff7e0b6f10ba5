# ulna_module(NAME [SOURCES ...] [KERNELS ...] [USES ...] [LINKS ...])
#
# One target per module. Its include directory reaches only the modules that say USES, so an include
# of a module further down the list does not compile. SOURCES are compiled for plain x86-64.
# KERNELS are compiled once for each instruction set (see ULNA_INSTRUCTION_SETS) with the macro
# ULNA_ISA naming the variant; the choice among them is made when the library is loaded.

set(ULNA_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                  -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
option(ULNA_WERROR "Refuse code with warnings" ON)
if(NOT ULNA_WERROR)  # for those who only want to install it, with a compiler unknown to us
  list(REMOVE_ITEM ULNA_WARNINGS -Werror)
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

function(ulna_options target)
  target_compile_options(${target} PRIVATE ${ULNA_WARNINGS} -Wno-psabi)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 reports uninitialised padding inside its own vector intrinsics and Eigen's packets, and
    # (GCC bug 105651) an overlap inside `"text" + std::string`.
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -Wno-restrict)
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

function(ulna_module name)
  cmake_parse_arguments(M "" "" "SOURCES;KERNELS;USES;LINKS" ${ARGN})
  foreach(used IN LISTS M_USES)
    if(NOT TARGET ulna_${used})
      message(FATAL_ERROR "module ${name} may not use ${used}: only modules above it in src/CMakeLists.txt")
    endif()
  endforeach()
  list(TRANSFORM M_USES PREPEND ulna_)
  set(target ulna_${name})
  set(include_dir $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>)
  if(M_SOURCES)
    add_library(${target} OBJECT ${M_SOURCES})
    target_include_directories(${target} PUBLIC ${include_dir})
    target_link_libraries(${target} PUBLIC ${M_USES} ${M_LINKS})
    target_compile_definitions(${target} PRIVATE ULNA_BUILDING)
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
      target_compile_definitions(${kernel} PRIVATE ULNA_BUILDING ULNA_ISA=${isa})
      ulna_options(${kernel})
      target_compile_options(${kernel} PRIVATE ${ULNA_FLAGS_${isa}}
                             "$<$<NOT:$<CONFIG:Debug>>:${ULNA_KERNEL_FLAGS}>")
      set_property(GLOBAL APPEND PROPERTY ULNA_MODULES ${kernel})
    endforeach()
  endif()
endfunction()
