# The targets that are no library of ours to install: how everything here is compiled.
#
#   genlru_build     flags of the library itself and of whatever sees its private headers
#   genlru_internal  the static library plus its private headers: what tests and benchmarks link

add_library(genlru_build INTERFACE)
target_include_directories(genlru_build INTERFACE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_features(genlru_build INTERFACE c_std_11)
target_compile_definitions(genlru_build INTERFACE
    $<$<BOOL:${GENLRU_CHECKED}>:GENLRU_CHECKED=1>
    $<$<BOOL:${GENLRU_LOCK_STATS}>:GENLRU_LOCK_STATS=1>
    $<$<BOOL:${GENLRU_POINTS}>:GENLRU_POINTS=1>)
target_compile_options(genlru_build INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wpointer-arith
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
    $<$<BOOL:${GENLRU_WERROR}>:-Werror>)

add_library(genlru_internal INTERFACE)
target_link_libraries(genlru_internal INTERFACE genlru_build genlru_static)
