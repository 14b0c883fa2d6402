# Writes OUTPUT, the C++ source that holds the texts of FILES (separated by |):
#   cmake -DOUTPUT=... -DFILES=a.yaml|b.yaml -P embed_library.cmake
string(REPLACE "|" ";" files "${FILES}")
set(source "// Made from scenarios/*.yaml by embed_library.cmake.\n#include \"scenario/library.hpp\"\n\n")
string(APPEND source "namespace nvmlkit::scenario {\nnamespace {\n\nconstexpr LibraryScenario scenarios[] = {\n")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" text)
  string(APPEND source "    {\"${name}\", R\"nvmlkit(${text})nvmlkit\"},\n")
endforeach()
string(APPEND source "};\n\n}  // namespace\n\n")
string(APPEND source "std::span<const LibraryScenario> library() { return scenarios; }\n\n")
string(APPEND source "}  // namespace nvmlkit::scenario\n")
file(WRITE "${OUTPUT}" "${source}")
