# SQLite on examples/sqlite_pcache2.
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND AND NOT TARGET PkgConfig::SQLITE3)
    pkg_check_modules(SQLITE3 QUIET IMPORTED_TARGET GLOBAL sqlite3)
endif()
if(NOT TARGET PkgConfig::SQLITE3 OR NOT GENLRU_BUILD_EXAMPLES)
    message(STATUS "tests/engines: SQLite is not tested: without libsqlite3-dev and the examples there is nothing")
    return()
endif()

set(names methods differential oom crash threads)
if(CMAKE_C_FLAGS MATCHES "fsanitize=thread") # one thread has nothing to show, and takes twenty times as long to show it
    set(names threads)
endif()
foreach(name ${names})
    genlru_add_stress_test(sqlite_${name} sqlite_${name}.c sqlite_rig.c LIBS genlru_sqlite LABELS threads TIMEOUT 120)
endforeach()

# A program without a sanitizer cannot load a library with one.
if(NOT CMAKE_C_FLAGS MATCHES "fsanitize|--coverage")
    genlru_add_check(sqlite_shell ${CMAKE_CURRENT_SOURCE_DIR}/sqlite_shell $<TARGET_FILE:genlru_sqlite_preload>
        TIMEOUT 120)
endif()
