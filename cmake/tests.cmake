# How a test, a benchmark's test and an example get into CTest. Every test is named FOLDER/NAME and
# carries FOLDER as its label (`ctest -L unit`), so that the folder says what kind of test it is.
#
#   genlru_add_unit_test(NAME SOURCE... [LIBS ...] [ARGS ...] [LABELS ...] [TIMEOUT s])
#       a Criterion program; one process per test, and nothing where GENLRU_CRITERION_TESTS is off
#   genlru_add_stress_test(NAME SOURCE... [same])
#       a plain program, 0 = passed, 77 = skipped; threaded ones carry the label `threads`
#   genlru_add_check(NAME COMMAND... [LABELS ...] [TIMEOUT s])
#       a command of ours, 0 = passed, 77 = skipped
#
# A random test prints its seed; a failed test's whole output is shown (--output-on-failure), and
# that of all the others stands in Testing/Temporary/LastTest.log.

macro(genlru__parse_test)
    cmake_parse_arguments(arg "" "TIMEOUT" "LIBS;ARGS;LABELS" ${ARGN})
    cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()
endmacro()

function(genlru__set_test_properties test)
    set_tests_properties(${test} PROPERTIES
        LABELS "${folder};${arg_LABELS}"
        TIMEOUT ${arg_TIMEOUT}
        SKIP_RETURN_CODE 77
        # Criterion passes a test whose process reports a leak when it exits.
        FAIL_REGULAR_EXPRESSION "Sanitizer: ;runtime error: "
        # Data of the project (data/, ../shared/traces) is found from here, whatever the cwd is.
        ENVIRONMENT "GENLRU_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
endfunction()

function(genlru__add_program target)
    add_executable(${target} ${ARGN})
    target_link_libraries(${target} PRIVATE genlru_internal ${arg_LIBS} Threads::Threads)
endfunction()

function(genlru_add_unit_test name)
    if(NOT GENLRU_CRITERION_TESTS)
        return()
    endif()
    genlru__parse_test(${ARGN})
    genlru__add_program(${folder}_${name} ${arg_UNPARSED_ARGUMENTS})
    target_link_libraries(${folder}_${name} PRIVATE PkgConfig::CRITERION)
    # CTest runs the programs side by side, so each runs its own tests one after the other.
    add_test(NAME ${folder}/${name} COMMAND ${folder}_${name} --jobs 1 ${arg_ARGS})
    list(APPEND arg_LABELS criterion)
    genlru__set_test_properties(${folder}/${name})
endfunction()

function(genlru_add_stress_test name)
    genlru__parse_test(${ARGN})
    genlru__add_program(${folder}_${name} ${arg_UNPARSED_ARGUMENTS})
    add_test(NAME ${folder}/${name} COMMAND ${folder}_${name} ${arg_ARGS})
    genlru__set_test_properties(${folder}/${name})
endfunction()

function(genlru_add_check name)
    genlru__parse_test(${ARGN})
    add_test(NAME ${folder}/${name} COMMAND ${arg_UNPARSED_ARGUMENTS})
    genlru__set_test_properties(${folder}/${name})
endfunction()
