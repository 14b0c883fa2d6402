# Files as texts in the program.
#
#   nvmlkit_embed(machines.cpp FILES ... HEADER sim/config/builtin.hpp NAMESPACE nvmlkit::sim TYPE BuiltinMachine
#                 FUNCTION list_builtin_machines NAMES stems)
#
# makes the source machines.cpp in the build folder. Its function returns a span of TYPE, which consists of a name and a text.
# NAMES files keeps the extensions of the names.
set(NVMLKIT_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/embed_texts.cmake")

function(nvmlkit_embed output)
  cmake_parse_arguments(PARSE_ARGV 1 embed "" "HEADER;NAMESPACE;TYPE;FUNCTION;NAMES" "FILES")
  list(JOIN embed_FILES "|" files)
  add_custom_command(
    OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${output}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/${output}" "-DFILES=${files}"
            "-DHEADER=${embed_HEADER}" "-DNAMESPACE=${embed_NAMESPACE}" "-DTYPE=${embed_TYPE}"
            "-DFUNCTION=${embed_FUNCTION}" "-DNAMES=${embed_NAMES}" -P "${NVMLKIT_EMBED_SCRIPT}"
    DEPENDS ${embed_FILES} "${NVMLKIT_EMBED_SCRIPT}"
    COMMENT "Embedding ${output}"
    VERBATIM)
endfunction()
