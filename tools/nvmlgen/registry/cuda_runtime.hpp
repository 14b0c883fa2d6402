// The CUDA runtime's functions as data: the declarations of its versions' headers, and the optional pointers.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace nvmlgen::cuda {

struct RuntimeParam {
  std::string type, name;
  std::size_t struct_size = 0;  // of a struct that is handed over as itself
  bool is_callback = false;
  bool may_be_null = false;

  bool is_pointer() const { return type.ends_with('*'); }
  bool is_handle() const { return !is_callback && type.starts_with("cuda") && type.ends_with("_t"); }
};

// A function with the signature that it has in some versions; one that changed has several entries.
struct RuntimeFunction {
  std::string name;
  std::vector<std::string> versions;  // of the headers, 12.4
  std::vector<RuntimeParam> params;
};

// Functions that answer cudaErrorNotSupported, and why.
struct Unsupported {
  std::string reason;
  std::vector<std::string> names;
};

struct Runtime {
  std::vector<RuntimeFunction> functions;                   // by name
  std::map<std::string, std::vector<std::string>> exports;  // by the libraries of which versions
  std::vector<Unsupported> unsupported;
  std::vector<RuntimeFunction> undeclared;                           // what the headers of these versions lack
  std::map<std::string, std::string> types;                          // of the runtime -> of src/driver/cudart
  std::map<std::string, std::string> returns;                        // other than an error
  std::map<std::string, std::vector<std::string>> driver_functions;  // what a function hands its arguments to
  std::set<std::string> own_variants;                                // whose variants are written by hand

  const std::string* why_unsupported(const std::string& name) const;
};

// From facts/runtime.json and runtime.yaml. Throws a RegistryError for what the yaml names and no header has.
Runtime load_runtime(const std::filesystem::path& directory);

}  // namespace nvmlgen::cuda
