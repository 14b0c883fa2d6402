// The emitters of the bindings: one function per file.
#pragma once

#include <string>
#include <vector>

#include "registry/facts.hpp"
#include "registry/public_headers.hpp"
#include "registry/registry.hpp"
#include "registry/semantics.hpp"

namespace nvmlgen {

std::string emit_abi(const Facts&);                      // include/nvmlkit/generated/abi.hpp
std::string emit_abi_assertions(const Facts&);           // src/bindings/generated/abi_assertions.cpp
std::string emit_table(const Facts&, const Semantics&);  // include/nvmlkit/generated/table.hpp
std::string emit_table_symbols(const Facts&);            // src/bindings/generated/table_symbols.cpp
std::string emit_errc(const Facts&);                     // include/nvmlkit/generated/errc.hpp

// One class with generated methods. File names without folder and ending: "device_methods" goes to
// include/nvmlkit/generated/device_methods.hpp and src/bindings/generated/device_methods.cpp.
struct GeneratedClass {
  std::string file;
  std::string header;
  std::string source;
};
std::vector<GeneratedClass> emit_classes(const Facts&, const Semantics&);

std::string emit_field_id(const Registry&);  // include/nvmlkit/generated/field_id.hpp
std::string emit_errata(const Registry&);    // src/bindings/generated/errata.cpp
std::string emit_callable(const Registry&);  // tests/nvml/generated/callable.cpp
// "Device::power_usage", what calls the function; empty when nothing does.
std::string method_of(const Registry&, const FunctionSemantics&);
std::string emit_constexpr_registry(const Registry&);  // include/nvmlkit/generated/registry.hpp
std::string emit_methods(const Registry&);             // tests/nvml/generated/methods.cpp

std::string emit_function_reference(const Registry&);  // docs/reference/functions.md
std::string emit_symbol_index(const Registry&);        // docs/reference/symbols.md
std::string emit_value_page(const Registry&);          // docs/reference/values.md

struct ClassPage {
  std::string file;  // without folder and ending
  std::string text;
};
std::vector<ClassPage> emit_class_pages(const Registry&, const PublicHeaders&);  // docs/reference/classes/*.md

// A member of a value type as C++ sees it.
struct ValueMember {
  std::string name;
  std::string type;
  std::string doc;
  std::vector<ValueMember> members;  // of a nested struct
};
std::vector<ValueMember> value_members(const Facts&, const Values&, const ValueType&);

std::string emit_values(const Facts&, const Values&);             // include/nvmlkit/generated/values.hpp
std::string emit_value_conversions(const Facts&, const Values&);  // src/bindings/generated/value_conversions.hpp
std::string emit_value_stores(const Facts&, const Semantics&);    // src/bindings/generated/value_stores.hpp
std::string emit_value_list(const Facts&, const Values&);         // tests/nvml/generated/all_values.hpp
std::string emit_enum_names(const Facts&);                        // include/nvmlkit/generated/enum_names.hpp
std::string emit_enumerators(const Facts&, const Values&);        // include/nvmlkit/generated/enumerators.hpp
std::string emit_enum_tables(const Facts&, const Values&);        // src/bindings/generated/enum_tables.cpp
std::string emit_enums(const Values&);                            // include/nvmlkit/generated/enums.hpp
std::string emit_enum_page(const Registry&);                      // docs/reference/enums.md

std::string emit_module_exports(const Facts&, const Values&);  // include/nvmlkit/generated/module_exports.inc

}  // namespace nvmlgen
