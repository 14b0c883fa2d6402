#include "driver/cuda/sanitize/host_places.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/never_destroyed.hpp"
#include "driver/cuda/sanitize/host_work.hpp"
#include "driver/cuda/sanitize/launch_checks.hpp"
#include "driver/cuda/sanitize/work_order.hpp"
#include "ptx/check/races/host_access.hpp"
#include "sanitize/recorder.hpp"

namespace nvmlkit::cuda::sanitizer {
namespace {

class HostChecks final : public ptx::Checks {
 public:
  explicit HostChecks(const void* instruction)
      : other_{nullptr, "the host",
               std::make_shared<const sanitize::HostStack>(sanitize::HostStack::from(instruction))} {
    order = work_order::current_or_host();
    about = std::make_shared<const Other>(other_);
  }
  void found(const ptx::BadAccess&) override {}
  void found(const ptx::Race& race) override { sanitize::record(race_finding(race, other_)); }

 private:
  Other other_;
};

// Instructions, for as long as the host learns nothing new; in a function that a stream calls, for its task.
struct Places {
  std::mutex mutex;
  std::uint64_t version = 0;
  std::map<std::pair<const void*, std::uint64_t>, std::unique_ptr<ptx::races::HostPlace>> known;
};
Places& places() {
  static NeverDestroyed<Places> the;
  return *the;
}

}  // namespace

void note_host_access(const void* instruction, bool writes, std::uint64_t address, std::uint64_t size) {
  auto& p = places();
  const std::lock_guard lock(p.mutex);
  if (const auto now = work_order::version(); now != p.version) {
    p.known.clear();
    p.version = now;
  }
  auto& place = p.known[{instruction, work_order::current().number}];
  if (!place) place = std::make_unique<ptx::races::HostPlace>(std::make_unique<HostChecks>(instruction));
  place->touch({writes ? ptx::Touch::writes : ptx::Touch::reads, address, size});
}

void report_host_accesses() {
  auto& p = places();
  const std::lock_guard lock(p.mutex);
  p.known.clear();
}

}  // namespace nvmlkit::cuda::sanitizer
