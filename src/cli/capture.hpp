// Machine files from what a driver answers.
#pragma once

#include <string>

namespace nvmlkit::cli {

struct CaptureOptions {
  std::string library;  // empty: whichever the system has
  std::string output;   // the machine file; empty: standard output, or none where there are `answers`
  std::string answers;  // where all answers go, as JSON; empty: nowhere
  bool scrub = false;
  bool verbose = false;
};

// Returns the exit status.
int capture_machine(const CaptureOptions& options);

}  // namespace nvmlkit::cli
