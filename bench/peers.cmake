# Other people's caches, for benchmarks that compare with them; each is left out where its Debian package is not there.
#
#   genlru_peer_leveldb   libleveldb-dev: leveldb/cache.h
#   genlru_peer_rocksdb   librocksdb-dev: rocksdb/cache.h; needs C++17
#
# if(TARGET genlru_peer_…) tells.
include(CheckCXXSourceCompiles)

function(genlru__find_peer name header library source)
    find_path(GENLRU_PEER_${name}_INCLUDE ${header})
    find_library(GENLRU_PEER_${name}_LIBRARY ${library})
    mark_as_advanced(GENLRU_PEER_${name}_INCLUDE GENLRU_PEER_${name}_LIBRARY)
    string(TOLOWER ${name} lower)
    if(NOT GENLRU_PEER_${name}_INCLUDE OR NOT GENLRU_PEER_${name}_LIBRARY)
        message(STATUS "Not compared with ${library}: lib${library}-dev is missing")
        return()
    endif()
    # A header and a library of different builds would show here, and not in somebody's benchmark.
    set(CMAKE_CXX_STANDARD 17)
    set(CMAKE_REQUIRED_INCLUDES ${GENLRU_PEER_${name}_INCLUDE})
    set(CMAKE_REQUIRED_LIBRARIES ${GENLRU_PEER_${name}_LIBRARY})
    set(CMAKE_REQUIRED_QUIET ON)
    check_cxx_source_compiles("${source}" GENLRU_PEER_${name}_LINKS)
    if(NOT GENLRU_PEER_${name}_LINKS)
        message(STATUS "Not compared with ${library}: lib${library}-dev does not link")
        return()
    endif()
    add_library(genlru_peer_${lower} INTERFACE)
    target_include_directories(genlru_peer_${lower} SYSTEM INTERFACE ${GENLRU_PEER_${name}_INCLUDE})
    target_link_libraries(genlru_peer_${lower} INTERFACE ${GENLRU_PEER_${name}_LIBRARY})
    target_compile_features(genlru_peer_${lower} INTERFACE cxx_std_17)
endfunction()

genlru__find_peer(LEVELDB leveldb/cache.h leveldb
    "#include <leveldb/cache.h>
    int main() { delete leveldb::NewLRUCache(1 << 20); }")
genlru__find_peer(ROCKSDB rocksdb/cache.h rocksdb
    "#include <rocksdb/cache.h>
    int main() { return !rocksdb::NewLRUCache(1 << 20); }")
