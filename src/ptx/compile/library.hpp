// The library that compiles, loaded when kernels first run.
#pragma once

#include "ptx/compile/context.hpp"

namespace nvmlkit::ptx {

// Null where it is not there, or of another version.
const CompilerInterface* compiler();
// What compiled code calls for an instruction that it leaves to the interpreter.
ExecuteOne execute_one();

}  // namespace nvmlkit::ptx
