# xqacheck_add_gate(<plug-in target>
#   [CASES <n>]              random cases, drawn from what the plug-in says it supports
#   [SEED <s>]               of the random cases; default 1, so that a gate means the same every time
#   [CORPUS <file>...]       files with one case line a line; paths relative to the current source folder
#   [PROPERTIES <id>...]     default: what `xqacheck verify` checks by default
#   [LABELS <label>...]      ctest labels
#   [KERNEL <name>]          which kernel, if the plug-in has several
#   [TIMEOUT <seconds>]      of each ctest entry; default 600
#   [ARGUMENTS <text>...])   more arguments of `xqacheck verify`
#
# Registers ctest entries: `<target>.random` for CASES and `<target>.<corpus name>` for each CORPUS. Each writes
# xqacheck-gates/<entry>.jsonl and .xml (JUnit) below the current binary folder. An entry fails with any exit code but 0. With the
# label `gpu` an entry is reported as skipped where the machine has no usable CUDA device; nothing else is ever skipped.
function(xqacheck_add_gate target)
  cmake_parse_arguments(arg "" "CASES;SEED;KERNEL;TIMEOUT" "CORPUS;PROPERTIES;LABELS;ARGUMENTS" ${ARGN})
  if(NOT TARGET ${target})
    message(FATAL_ERROR "xqacheck_add_gate: ${target} is not a target; add_library(${target} MODULE ...) comes first")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "xqacheck_add_gate(${target}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "xqacheck_add_gate(${target}): ${arg_KEYWORDS_MISSING_VALUES} without a value")
  endif()
  if(NOT arg_CASES AND NOT arg_CORPUS)
    message(FATAL_ERROR "xqacheck_add_gate(${target}): give CASES, CORPUS or both; a gate without cases would always pass")
  endif()
  if(NOT DEFINED arg_SEED)
    set(arg_SEED 1)
  endif()
  if(NOT DEFINED arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  set(kernel "$<TARGET_FILE:${target}>")
  if(arg_KERNEL)
    string(APPEND kernel ":${arg_KERNEL}")
  endif()
  set(common --kernel "${kernel}")
  if(arg_PROPERTIES)
    list(JOIN arg_PROPERTIES "," properties)
    list(APPEND common --property ${properties})
  endif()

  set(sources "")
  if(arg_CASES)
    list(APPEND sources random)
  endif()
  foreach(corpus IN LISTS arg_CORPUS)
    get_filename_component(corpus "${corpus}" ABSOLUTE)
    if(NOT EXISTS "${corpus}")
      message(FATAL_ERROR "xqacheck_add_gate(${target}): corpus ${corpus} does not exist")
    endif()
    list(APPEND sources "${corpus}")
  endforeach()

  set(results "${CMAKE_CURRENT_BINARY_DIR}/xqacheck-gates")
  file(MAKE_DIRECTORY "${results}")
  foreach(source IN LISTS sources)
    if(source STREQUAL "random")
      set(entry "${target}.random")
      set(what --cases ${arg_CASES} --seed ${arg_SEED})
    else()
      get_filename_component(name "${source}" NAME_WE)
      set(entry "${target}.${name}")
      set(what --corpus "${source}")
    endif()
    add_test(NAME ${entry}
      COMMAND xqacheck::xqacheck verify ${common} ${what}
        --json "${results}/${entry}.jsonl" --junit "${results}/${entry}.xml" ${arg_ARGUMENTS}
      WORKING_DIRECTORY "${results}")
    set_tests_properties(${entry} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
    if("gpu" IN_LIST arg_LABELS)
      # Not SKIP_RETURN_CODE 3: other broken surroundings end with 3 as well and must not look like a missing GPU.
      set_tests_properties(${entry} PROPERTIES SKIP_REGULAR_EXPRESSION "needs a CUDA device")
    endif()
  endforeach()
endfunction()
