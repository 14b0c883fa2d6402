// The library that compiles, loaded when something is to be compiled first.
#pragma once

#include <string>

#include "ptx/compile/context.hpp"

namespace nvmlkit::ptx {

// Null where it is not there, or of another version.
const CompilerInterface* compiler();
// Where it is; empty where it is not.
const std::string& path_of_compiler();

}  // namespace nvmlkit::ptx
