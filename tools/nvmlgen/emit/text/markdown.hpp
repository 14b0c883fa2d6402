// Common parts of the reference pages.
#pragma once

#include <string>

#include "registry/registry.hpp"

namespace nvmlgen {

// Text of a comment as Markdown: headers as code, no tags by accident.
std::string markdown(const std::string& text);

// "Free functions" -> "free_functions", the name of a class's page without its ending.
std::string page_file(const std::string& class_name);

// "[Memory](../values.md#memory)" for each value type, enum and set of flags that a piece of C++ names.
std::string value_links(const Values& values, const std::string& code);

// Where a C function is reached, as a link from a page in docs/reference/; empty when no method calls it.
std::string method_link(const Registry& registry, const FunctionSemantics& function);

}  // namespace nvmlgen
