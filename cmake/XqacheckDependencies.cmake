# Every dependency is a Debian/Ubuntu package (see doc/dependencies.md); none is vendored.

find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(hwy REQUIRED)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)

# Header-only use of both: xxHash is inlined, Random123 has no library.
add_library(xqacheck_random123 INTERFACE)
target_include_directories(xqacheck_random123 SYSTEM INTERFACE "${RANDOM123_INCLUDE_DIR}")
add_library(xqacheck_xxhash INTERFACE)
target_include_directories(xqacheck_xxhash SYSTEM INTERFACE "${XXHASH_INCLUDE_DIR}")
target_compile_definitions(xqacheck_xxhash INTERFACE XXH_INLINE_ALL)

# The CUDA Toolkit is optional: without it everything but the GPU path builds. AUTO takes it where it is found.
set(XQACHECK_CUDA AUTO CACHE STRING "Build the GPU path: AUTO, ON or OFF")
set_property(CACHE XQACHECK_CUDA PROPERTY STRINGS AUTO ON OFF)
if(XQACHECK_CUDA STREQUAL "AUTO")
  find_package(CUDAToolkit 12.0 QUIET)
elseif(XQACHECK_CUDA)
  find_package(CUDAToolkit 12.0 REQUIRED)
endif()
if(CUDAToolkit_FOUND)
  message(STATUS "GPU path: CUDA Toolkit ${CUDAToolkit_VERSION}")
else()
  message(STATUS "GPU path left out: no CUDA Toolkit (XQACHECK_CUDA=${XQACHECK_CUDA})")
endif()

if(BUILD_TESTING)
  find_package(Catch2 REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
