// PTX in, in place of a cubin an image that the simulated driver loads.
#pragma once

#include <iosfwd>

#include "ptxas/options.hpp"

namespace nvmlkit::ptxas {

// Checks the inputs as a driver does and writes the image. What is wrong with them, and in verbose mode what they hold,
// goes to `log`. False: they are wrong, and no file was written. Throws Fatal.
bool assemble(const Options& options, std::ostream& log);

}  // namespace nvmlkit::ptxas
