#include "cdi_hook/record.hpp"

#include <fstream>

namespace nvmlkit::cdi_hook {
namespace {

constexpr const char* kFile = "nvmlkit-process";

}  // namespace

void remember(const Container& container, const sim::processes::InnerProcess& process) {
  if (container.bundle.empty()) return;
  std::ofstream(container.bundle / kFile)
      << process.pid_namespace << ' ' << process.pid << ' ' << process.start << '\n';
}

std::optional<sim::processes::InnerProcess> recall(const Container& container) {
  sim::processes::InnerProcess out{};
  if (container.bundle.empty()) return {};
  std::ifstream file(container.bundle / kFile);
  if (!(file >> out.pid_namespace >> out.pid >> out.start) || out.pid == 0) return {};
  return out;
}

}  // namespace nvmlkit::cdi_hook
