// The checks of an exported function, which every function of its shape makes before it answers: initialized, handle,
// null pointers, struct version, enum values, privilege.
#pragma once

#include <string>

#include "registry/semantics.hpp"

namespace nvmlgen {

struct ExportChecks {
  std::string text;      // statements of C++
  bool refuses = false;  // nothing passes the checks, so that no answer follows
};

ExportChecks export_checks(const Facts& facts, const Function& function, const FunctionSemantics& entry);

}  // namespace nvmlgen
