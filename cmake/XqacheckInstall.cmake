# What an installed prefix holds: bin/xqacheck and the worker that it starts, include/xqacheck_kernel.h and the CMake package that offers them to others.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(XQACHECK_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/xqacheck")
install(FILES kernels/abi/xqacheck_kernel.h kernels/abi/xqacheck_contradiction.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS xqacheck_abi xqacheck EXPORT xqacheckTargets RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(TARGETS xqacheck-worker RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/xqacheck")
install(EXPORT xqacheckTargets NAMESPACE xqacheck:: DESTINATION "${XQACHECK_CMAKE_DIR}")

configure_package_config_file(cmake/xqacheckConfig.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/xqacheckConfig.cmake"
  INSTALL_DESTINATION "${XQACHECK_CMAKE_DIR}")
# Before 1.0 every minor version may change the ABI or the case line.
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/xqacheckConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/xqacheckConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/xqacheckConfigVersion.cmake"
  cmake/XqacheckGate.cmake DESTINATION "${XQACHECK_CMAKE_DIR}")
