# What `cmake --install` puts where: both libraries, the public headers, a CMake package, a
# pkg-config file and the man page. The package files hold relative paths only, so that an installed
# tree can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/genlru)

install(TARGETS genlru_static genlru_shared EXPORT genlru
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/genlru DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h")
install(FILES docs/man/genlru.7 DESTINATION ${CMAKE_INSTALL_MANDIR}/man7 OPTIONAL)
if(GENLRU_BUILD_CACHE)
    install(TARGETS genlru_cache_static genlru_cache_shared EXPORT genlru
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(FILES docs/man/genlru-cache.7 DESTINATION ${CMAKE_INSTALL_MANDIR}/man7 OPTIONAL)
endif()

install(EXPORT genlru NAMESPACE genlru:: FILE genlru-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/genlru-config.cmake.in
    ${PROJECT_BINARY_DIR}/genlru-config.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break its users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/genlru-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES
    ${PROJECT_BINARY_DIR}/genlru-config.cmake
    ${PROJECT_BINARY_DIR}/genlru-config-version.cmake
    DESTINATION ${package_dir})

file(RELATIVE_PATH pc_prefix
    ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix ${pc_prefix})
file(RELATIVE_PATH pc_libdir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH pc_includedir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(cmake/genlru.pc.in ${PROJECT_BINARY_DIR}/genlru.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/genlru.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(GENLRU_BUILD_CACHE)
    configure_file(cmake/genlru-cache.pc.in ${PROJECT_BINARY_DIR}/genlru-cache.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/genlru-cache.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
