// The versions of a function that one method tries: newest first.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/facts.hpp"
#include "registry/semantics.hpp"

namespace nvmlgen {

// How one version of a function is called: which symbol, and which struct stands for each struct parameter.
struct MethodVersion {
  const Function* function;
  const FunctionSemantics* semantics;
  std::map<std::string, std::string> structs;  // parameter -> struct to fill instead of the declared one
};

// Versions of the struct, then of the function. An older one that the newest value type cannot hold is left out.
std::vector<MethodVersion> versions_of(const Facts& facts, const Semantics& semantics, const Function& function,
                                       const FunctionSemantics& entry);

// Which version of a struct this version of the function fills, as a number; 0 when it has none.
std::string struct_version(const Facts& facts, const MethodVersion& version);

// Follows an alias to the struct itself.
std::string canonical(const Facts& facts, const std::string& type);

}  // namespace nvmlgen
