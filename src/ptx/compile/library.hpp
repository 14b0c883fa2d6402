// The library that compiles, loaded when something is to be compiled first.
#pragma once

#include "ptx/compile/context.hpp"

namespace nvmlkit::ptx {

// Null where it is not there, or of another version.
const CompilerInterface* compiler();

}  // namespace nvmlkit::ptx
