// Processes of PID namespaces below this one: those of containers, seen from the host.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace nvmlkit::sim::processes {

// A process as it knows itself.
struct InnerProcess {
  std::uint64_t pid_namespace;
  std::uint32_t pid;    // in that namespace
  std::uint64_t start;  // in clock ticks since boot

  auto operator<=>(const InnerProcess&) const = default;
};

// The process with this number here, as it knows itself. Nothing if it does not run.
std::optional<InnerProcess> inner_process(std::uint32_t pid);

// One look at the system, at the first question that needs it. Answers are remembered for later looks: whether a
// process is in a namespace below another one never changes.
class Descendants {
 public:
  // The number of the process in this namespace. Nothing if it is in no namespace below, or has ended.
  std::optional<std::uint32_t> find(const InnerProcess& process);

 private:
  struct Numbers {
    std::uint32_t here, inside;
  };
  std::optional<std::uint32_t> search(const InnerProcess& process);
  static std::vector<Numbers> look();

  std::optional<std::vector<Numbers>> seen_;
};

// Does this process see all processes of the system? True on the host, false in a container and where /proc hides those
// of other users.
bool sees_every_process();

}  // namespace nvmlkit::sim::processes
