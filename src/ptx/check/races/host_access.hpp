// Copies and fills that the driver does, and accesses of the host itself: they race with kernels as kernels do with
// each other.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "ptx/checks.hpp"

namespace nvmlkit::ptx::races {

// Rows of bytes of global memory.
struct HostAccess {
  Touch touch{};
  std::uint64_t address = 0, width = 0, rows = 1, pitch = 0;
};

// To be called where the work is done. `checks` has its order.
void note(Checks& checks, std::span<const HostAccess> accesses);

// An instruction of the host that accesses memory of kernels, until the host knows more or hands over work. A kernel
// that exchanges atomic, volatile or relaxed accesses with the host counts as ordered with it from then on.
class HostPlace {
 public:
  // `checks` has its order.
  explicit HostPlace(std::unique_ptr<Checks> checks);
  ~HostPlace();
  void touch(const HostAccess& access);
  // What was found since the first report.
  void report();

 private:
  std::uint32_t event_of(Touch touch);

  std::unique_ptr<Checks> checks_;
  std::shared_ptr<Launch> launch_;
  std::uint32_t events_[2] = {};  // reads, writes
  bool has_found_ = false;
};

}  // namespace nvmlkit::ptx::races
