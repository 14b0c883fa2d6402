// What nvmlgen writes for the bindings: one function per file.
#pragma once

#include <string>
#include <vector>

#include "registry/facts.hpp"
#include "registry/registry.hpp"
#include "registry/semantics.hpp"

namespace nvmlgen {

std::string emit_abi(const Facts&);             // include/nvmlkit/generated/abi.hpp
std::string emit_abi_assertions(const Facts&);  // src/nvml/generated/abi_assertions.cpp
std::string emit_table(const Facts&);           // include/nvmlkit/generated/table.hpp
std::string emit_table_symbols(const Facts&);   // src/nvml/generated/table_symbols.cpp
std::string emit_errc(const Facts&);            // include/nvmlkit/generated/errc.hpp

// One class with generated methods. File names without folder and ending: "device_methods" goes to
// include/nvmlkit/generated/device_methods.hpp and src/nvml/generated/device_methods.cpp.
struct GeneratedClass {
  std::string file;
  std::string header;
  std::string source;
};
std::vector<GeneratedClass> emit_classes(const Facts&, const Semantics&);

std::string emit_field_id(const Registry&);  // include/nvmlkit/generated/field_id.hpp
std::string emit_errata(const Registry&);    // src/nvml/generated/errata.cpp
std::string emit_callable(const Registry&);  // tests/nvml/generated/callable.cpp

std::string emit_function_reference(const Registry&);  // docs/reference/functions.md

struct ClassPage {
  std::string file;  // without folder and ending
  std::string text;
};
std::vector<ClassPage> emit_class_pages(const Facts&, const Semantics&);  // docs/reference/classes/*.md

}  // namespace nvmlgen
