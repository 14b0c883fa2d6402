// registry/libraries: CUDA's libraries as data. Of each: what its headers declare and its releases export (facts), and
// what ours answers (a file of YAML). Every function that is exported has an answer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nvmlgen::libraries {

struct Param {
  std::string type, name;
};

struct Function {
  std::string name, returns;
  std::vector<std::string> versions;  // of CUDA, whose headers declare it
  std::vector<Param> params;
};

struct Enum {
  std::string name;
  std::vector<std::pair<std::string, std::int64_t>> values;
};

struct Struct {
  std::string name;
  std::size_t size = 0, align = 0;
};

// A release of the library, of a version of CUDA: libcublas.so.12.
struct Release {
  std::string soname;
  int cuda = 0;
};

// What a function of the library answers.
struct Answer {
  std::string subject;  // of the C++ function: a header in functions/, a file of exports
  std::string by;       // the C++ function; empty: it is not supported
  std::string reason;   // why not
};

// A check of the arguments that stands before all others: an expression of C++ over their names.
struct FirstCheck {
  std::string condition, status;
};

struct Library {
  std::string id;    // of its file, folder and page: cublas
  std::string name;  // libcublas
  std::string title;
  std::vector<Release> releases;
  std::string status, not_supported;                     // the type of answers, and the enumerator
  std::string handle;                                    // the type of handles
  std::vector<std::string> unchecked_handle;             // functions that check their handle themselves, or not at all
  std::map<std::string, std::vector<FirstCheck>> first;  // of functions, before their handle
  std::string second_names;  // before a name: the second symbol of a function; empty: it has one
  bool has_symbol_versions = true;
  std::map<std::string, std::string> types;  // of the headers -> of src/libraries
  std::vector<Function> functions;           // by name; of several signatures the newest
  std::vector<Enum> enums;
  std::vector<Struct> structs;
  std::map<std::string, std::vector<std::string>> exports;  // symbol -> versions of CUDA
  std::vector<std::string> subjects;                        // in the order of the file
  std::map<std::string, Answer> answers;                    // by function

  const Answer& answer(const Function& function) const { return answers.at(function.name); }
  // Functions that a release exports: those of its own version of CUDA and, as the last release of a version has what
  // the next one begins with, those of the next.
  bool exports_in(const Function& function, const Release& release) const;
};

// All libraries, by name. Throws a RegistryError for a function without an answer, or with two.
std::vector<Library> load_libraries(const std::filesystem::path& directory);

}  // namespace nvmlgen::libraries
