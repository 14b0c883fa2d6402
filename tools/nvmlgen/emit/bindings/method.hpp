// One generated method of the bindings: its parameters, its result, and its body.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/facts.hpp"
#include "registry/semantics.hpp"

namespace nvmlgen {

// One C function that a method tries, and which version of its struct it fills: "0" when that has none.
struct Candidate {
  std::string function;
  std::string struct_version;
};

struct Method {
  std::string name;
  std::string answer;  // T of Result<T>
  std::string nested;  // declaration of a struct that `answer` names; empty when there is none
  std::vector<std::string> nested_fields;
  std::string parameters;  // with default arguments
  std::string arguments;   // the same without
  std::string doc;         // comment lines
  std::string body;
  std::vector<Candidate> candidates;  // newest first
  bool inlined = false;               // short and without other classes: its body stands in the header, for speed
};

// Classes of the bindings that have generated methods, and the native handle of each (empty for Library).
struct BindingClass {
  const char* name;
  const char* native;
};
const std::vector<BindingClass>& binding_classes();

// Nothing when the function is not called regularly, is written by hand, or is an older member of a chain that the
// newest member speaks for.
std::optional<Method> method_for(const Facts& facts, const Semantics& semantics, const FunctionSemantics& function);

}  // namespace nvmlgen
