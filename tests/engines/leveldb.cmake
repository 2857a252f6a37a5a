# LevelDB on examples/leveldb_cache. The target is made by examples/, which comes after tests/, so its parts are looked for here.
find_path(LEVELDB_INCLUDE_DIR leveldb/cache.h)
find_library(LEVELDB_LIBRARY leveldb)
if(NOT LEVELDB_INCLUDE_DIR OR NOT LEVELDB_LIBRARY OR NOT GENLRU_BUILD_EXAMPLES OR NOT GENLRU_BUILD_CACHE)
    message(STATUS "tests/engines: without libleveldb-dev, the cache and the examples LevelDB is not tested")
    return()
endif()
enable_language(CXX)

set(scale 100)
set(names cache model threads no_memory db)
if(CMAKE_C_FLAGS MATCHES "fsanitize=thread")
    # LevelDB's library is not instrumented, so TSan does not see how its threads meet: no db there.
    set(names cache model threads)
    set(scale 20)
endif()
foreach(name ${names})
    genlru_add_stress_test(leveldb_${name} leveldb_${name}.cpp leveldb_rig.cpp ../stress/stress.c
        LIBS genlru_leveldb ARGS --scale ${scale} LABELS threads)
    # structs and calls share names, which -Wshadow of C++ complains about
    set_source_files_properties(leveldb_${name}.cpp leveldb_rig.cpp PROPERTIES COMPILE_OPTIONS "-fno-rtti;-Wno-shadow")
endforeach()

if(GENLRU_BUILD_BENCH AND NOT CMAKE_C_FLAGS MATCHES "fsanitize|--coverage")
    genlru_add_check(leveldb_bench ${CMAKE_CURRENT_SOURCE_DIR}/leveldb_bench $<TARGET_FILE:genlru-leveldb-bench>
        TIMEOUT 120)
endif()
