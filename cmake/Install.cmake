# What gets installed, how find_package(darboux) finds it, and the Debian package of it.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/darboux")

install(TARGETS darboux EXPORT darbouxTargets INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY include/darboux "${PROJECT_BINARY_DIR}/include/darboux"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
install(EXPORT darbouxTargets NAMESPACE darboux:: DESTINATION "${package_dir}")

set(config "${PROJECT_BINARY_DIR}/darbouxConfig.cmake")
set(config_version "${PROJECT_BINARY_DIR}/darbouxConfigVersion.cmake")
configure_package_config_file(cmake/darbouxConfig.cmake.in "${config}" INSTALL_DESTINATION "${package_dir}")
# Before 1.0 a minor version may break what used the one before.
write_basic_package_version_file("${config_version}" COMPATIBILITY SameMinorVersion)
install(FILES "${config}" "${config_version}" DESTINATION "${package_dir}")

# Its licence, and those of what is linked or bundled. Debian looks for the former as copyright.
install(FILES LICENSE NOTICES.txt DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME copyright)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME darboux)
set(CPACK_PACKAGE_CONTACT "The Darboux authors")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
include(CPack)
