#include "ptx/launch.hpp"

#include "ptx/instructions/numbers/float_mode.hpp"
#include "ptx/run/execution.hpp"

namespace nvmlkit::ptx {

Outcome run_grid(const Grid& grid) {
  const FloatUnit as_programs_begin(0);
  return Execution(grid).run_to_end();
}

}  // namespace nvmlkit::ptx
