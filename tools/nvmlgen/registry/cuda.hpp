// registry/cuda: the CUDA driver API as data, checked: every symbol that the library exports has a meaning, every
// attribute an answer, every error a text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "registry/cuda_runtime.hpp"

namespace nvmlgen {

class Model;

namespace cuda {

struct Param {
  std::string type, name;

  bool is_pointer() const { return type.ends_with('*'); }
  std::string base() const;  // without const and stars
};

struct Function {
  std::string name;
  std::string group;
  std::string stream;  // ptds or ptsz for the variant of the per-thread default stream
  std::vector<Param> params;
  bool deprecated = false;
  bool newer = false;    // than the driver whose symbols the library exports
  bool declared = true;  // by cuda.h; of the others nothing but the name is known

  std::string base() const { return name.substr(0, name.size() - (stream.empty() ? 0 : stream.size() + 1)); }
  std::string stem() const { return name.substr(2); }  // cuMemAlloc_v2 -> MemAlloc_v2
};

struct Enum {
  std::string name, tag, underlying;
  std::vector<std::string> aliases;
  std::vector<std::pair<std::string, std::int64_t>> values;
};

struct Field {
  std::string type, name;
  std::size_t offset = 0;
  std::vector<std::int64_t> dims;
};

struct Struct {
  std::string name, tag;
  std::vector<std::string> aliases;
  std::size_t size = 0;
  std::vector<Field> fields;  // none: there is a union in it

  bool is_called(const std::string& word) const;
};

// What cuGetProcAddress chooses among, by CUDA version.
struct EntryPoint {
  std::uint32_t version = 0;
  std::string symbol;
  bool per_thread = false;
};

enum class Answer { code, refused, later };
enum class Needs { nothing, init, context };

struct Semantics {
  Answer answer = Answer::later;
  Needs needs = Needs::init;
  std::string subject;  // the file it stands in
  std::string doc;
  std::string reason;              // refused, later
  std::set<std::string> optional;  // pointers that may be null
};

struct Attribute {
  std::string name;  // of the enumerator
  std::int64_t number = 0;
  std::optional<std::int64_t> value;
  std::string field;
  std::int64_t times = 1;
  std::map<int, std::int64_t> by_capability;  // 10 * major + minor
  std::string code, later;
  int since = 0;  // 1000 * major + 10 * minor of the first CUDA that knows it
};

struct Registry {
  std::vector<Function> functions;  // that the library exports, in the order of the header
  std::map<std::string, std::size_t> objects;
  std::vector<Enum> enums;
  std::vector<Struct> structs;
  std::vector<std::pair<std::string, std::string>> handles;  // CUstream -> struct CUstream_st
  std::vector<std::pair<std::string, std::string>> typedefs;
  std::vector<std::pair<std::string, std::string>> callbacks;  // name -> ret (*)(args)
  std::map<std::string, std::vector<EntryPoint>> entry_points;
  std::map<std::string, Semantics> semantics;  // by the function without its stream variant
  std::vector<std::string> subjects;           // files of semantics/, in order
  std::vector<Attribute> attributes;           // by number
  std::map<std::string, std::string> errors;   // enumerator -> text
  Runtime runtime;

  const Enum& enumeration(const std::string& name) const;
  const Struct* structure(const std::string& name) const;
  const Semantics& meaning(const Function& function) const { return semantics.at(function.base()); }
};

// Throws one RegistryError that lists all holes.
Registry load(const std::filesystem::path& directory, const Model& model);

}  // namespace cuda
}  // namespace nvmlgen
