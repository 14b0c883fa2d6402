#include "cli/library.hpp"

#include "cli/command_error.hpp"
#include "cli/launch.hpp"
#include "cli/machine.hpp"
#include "sim/config/environment.hpp"

namespace nvmlkit::cli {

std::filesystem::path checked_driver() {
  value_of(inspect(sim::Environment::process()));
  return own_driver();
}

std::string explain(const nvml::Failure& failure) {
  const auto advice = failure.advice();
  return "no working NVML library: " + failure.message() + (advice.empty() ? "" : "\n") + advice;
}

sim::Problem no_library(const nvml::Failure& failure) {
  return {.kind = sim::ProblemKind::missing, .what = explain(failure)};
}

nvml::Library open_library(const nvml::OpenOptions& options) {
  auto library = nvml::Library::open(options);
  if (!library) throw CommandError(no_library(library.error()), kFailed);
  return std::move(*library);
}

void LibraryOptions::declare(Arguments& arguments) {
  arguments.option("--library", Kind::file, library_, "The NVML library to ask")
      .default_text("the simulated driver for a machine that an option names, else the system's");
  machine_.declare(arguments);
}

nvml::OpenOptions LibraryOptions::choose() const {
  nvml::OpenOptions options;
  options.load.path = library_;
  machine_.export_all();
  if (machine_.given() && library_.empty()) options.load.path = checked_driver() / "libnvidia-ml.so.1";
  return options;
}

}  // namespace nvmlkit::cli
