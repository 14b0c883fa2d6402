// NVML libraries that commands ask: the simulated driver, or whichever the system has.
#pragma once

#include <filesystem>
#include <nvmlkit/library.hpp>
#include <string>

#include "cli/machine_options.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::cli {

// The folder of our driver library. Refuses where there is none, or where the machine of the environment cannot be
// used.
std::filesystem::path checked_driver();

// "no working NVML library: ...", and what to do about it.
std::string explain(const nvml::Failure& failure);
sim::Problem no_library(const nvml::Failure& failure);

// Refuses, with that text, where the library does not start.
nvml::Library open_library(const nvml::OpenOptions& options);

// The machine options and --library: what to ask. A machine is asked through our library; without one it is
// whichever library the system has.
class LibraryOptions {
 public:
  void declare(Arguments& arguments);

  // Puts the machine into the environment.
  nvml::OpenOptions choose() const;

 private:
  MachineOptions machine_;
  std::string library_;
};

}  // namespace nvmlkit::cli
