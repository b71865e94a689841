# Reproduce strings, from process to process: cmake -DTEST_EXECUTABLE=... -P reproduce.cmake
#
# A failing property prints a string; a new process with that string fails with the same counterexample. A string that belongs
# to another property, or is none at all, must fail too.

function(run_with params test)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env "RC_PARAMS=${params}" ${TEST_EXECUTABLE} ${test}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  set(result "${result}" PARENT_SCOPE)
  set(output "${errors}${output}" PARENT_SCOPE)  # unwrapped lines first
endfunction()

function(need what)
  if(NOT (${ARGN}))
    message(FATAL_ERROR "${what}; exit code ${result}, output:\n${output}")
  endif()
endfunction()

run_with("seed=1" "a property that always fails")
need("the failing property must fail" result EQUAL 1)
string(REGEX MATCH "RC_PARAMS=\"(reproduce=[^\" \n]+)" found "${output}")
need("it must print a reproduce string" found)
set(string "${CMAKE_MATCH_1}")
string(REGEX MATCH "smallest bad number is ([0-9]+)" found "${output}")
need("it must print a counterexample" found)
set(number "${CMAKE_MATCH_1}")

run_with("${string}" "a property that always fails")
need("the reproduced property must fail" result EQUAL 1)
need("with the same counterexample" output MATCHES "smallest bad number is ${number}")
need("and without other cases before it" output MATCHES "after 1 test")

run_with("${string}" "every valid case survives printing and reading")
need("a string of another property must fail" NOT result EQUAL 0)
need("and say why" output MATCHES "ran no case")

run_with("reproduce=bogus" "every valid case survives printing and reading")
need("a string that is none must fail" NOT result EQUAL 0)
need("and say why" output MATCHES "invalid format")
