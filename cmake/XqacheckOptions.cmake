# Compiler flags and the two helper functions with which every room declares its targets.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

option(XQACHECK_WERROR "Treat warnings as errors (CI does)" OFF)
option(XQACHECK_FUZZ "Build the libFuzzer targets of fuzz/ (clang++ only)" OFF)
set(XQACHECK_SANITIZE "" CACHE STRING "Sanitizers for every target, e.g. address,undefined")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
# -O2, not -O3: half the compile time, and the hot loops are written with Highway anyway.
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_C_FLAGS_RELEASE "-O2")

find_program(XQACHECK_CCACHE ccache)
if(XQACHECK_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${XQACHECK_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER "${XQACHECK_CCACHE}")
endif()

add_library(xqacheck_options INTERFACE)
target_include_directories(xqacheck_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(xqacheck_options INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wno-unknown-pragmas
  # Results are compared bit for bit across compilers: no contraction into fma, no value-changing optimisation.
  -ffp-contract=off -fno-fast-math)
if(XQACHECK_WERROR)
  target_compile_options(xqacheck_options INTERFACE -Werror)
endif()
if(XQACHECK_SANITIZE)
  target_compile_options(xqacheck_options INTERFACE -fsanitize=${XQACHECK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  target_link_options(xqacheck_options INTERFACE -fsanitize=${XQACHECK_SANITIZE})
endif()

# xqacheck_library(<name> SOURCES ... [LIBS ...]): a static library of one room.
function(xqacheck_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC xqacheck_options ${arg_LIBS})
endfunction()

# xqacheck_test(<name> SOURCES ... [LIBS ...] [LABELS ...] [TIMEOUT s]): one Catch2 executable, one ctest entry.
# Catch2 tags choose further entries: xqacheck_test_entry(<entry> <executable> <tag expression> LABELS ...).
function(xqacheck_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LIBS;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE xqacheck_test_main ${arg_LIBS})
  # No precompiled header: catch.hpp costs 0.8 s a file, its precompiled form 3 s a target, and most tests have few files.
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_test(NAME ${name} COMMAND ${name} "~[nightly]~[gpu]~[.]")
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT}
    ENVIRONMENT "XQACHECK_SOURCE_DIR=${PROJECT_SOURCE_DIR};XQACHECK_BIN=$<TARGET_FILE_DIR:${name}>")
endfunction()

function(xqacheck_test_entry entry executable tags)
  cmake_parse_arguments(arg "" "TIMEOUT" "LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 1500)
  endif()
  add_test(NAME ${entry} COMMAND ${executable} "${tags}")
  set_tests_properties(${entry} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT}
    ENVIRONMENT "XQACHECK_SOURCE_DIR=${PROJECT_SOURCE_DIR};XQACHECK_BIN=$<TARGET_FILE_DIR:${executable}>")
endfunction()
