// What an exported function answers once its arguments are checked.
#pragma once

#include <string>

#include "registry/semantics.hpp"

namespace nvmlgen {

// Statements of C++ that end in a return.
std::string export_answer(const Function& function, const FunctionSemantics& entry);

}  // namespace nvmlgen
