# xqacheck_embed_text(<target> NAMESPACE <ns> FILES <file>...): makes each file's text a constant
#   namespace <ns> { extern const char* const text_of_<file name with . as _>; }
# in a generated source of the target, rebuilt when the file changes.
function(xqacheck_embed_text target)
  cmake_parse_arguments(arg "" "NAMESPACE" "FILES" ${ARGN})
  foreach(file ${arg_FILES})
    get_filename_component(name "${file}" NAME)
    string(REPLACE "." "_" symbol "${name}")
    set(output "${CMAKE_CURRENT_BINARY_DIR}/embedded_${symbol}.cpp")
    add_custom_command(OUTPUT "${output}"
      COMMAND "${CMAKE_COMMAND}" "-DINPUT=${file}" "-DOUTPUT=${output}" "-DSYMBOL=text_of_${symbol}" "-DNS=${arg_NAMESPACE}"
              -P "${PROJECT_SOURCE_DIR}/cmake/EmbedTextScript.cmake"
      DEPENDS "${file}" "${PROJECT_SOURCE_DIR}/cmake/EmbedTextScript.cmake" VERBATIM)
    target_sources(${target} PRIVATE "${output}")
  endforeach()
endfunction()
