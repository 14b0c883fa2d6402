#include "ptx/launch.hpp"

#include "ptx/instructions/numbers/float_mode.hpp"
#include "ptx/run/execution.hpp"

namespace nvmlkit::ptx {

namespace {

// No thread does anything.
bool is_empty(const Function& kernel) {
  const auto& first = kernel.code.front();
  return (first.kind == Kind::ret || first.kind == Kind::exit) && !first.guard.is_there();
}

}  // namespace

Outcome run_grid(const Grid& grid) {
  if (is_empty(*grid.entry)) return {};
  const FloatUnit as_programs_begin(0);
  return Execution(grid).run_to_end();
}

}  // namespace nvmlkit::ptx
