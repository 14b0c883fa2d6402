#include "driver/cuda/sanitize/host_work.hpp"

#include <vector>

#include "driver/cuda/memory/memory.hpp"
#include "driver/cuda/sanitize/launch_checks.hpp"
#include "driver/cuda/sanitize/work_order.hpp"
#include "ptx/check/races/host_access.hpp"
#include "sanitize/recorder.hpp"

namespace nvmlkit::cuda::sanitizer {
namespace {

class WorkChecks final : public ptx::Checks {
 public:
  explicit WorkChecks(const char* what) : what_(what) {
    order = work_order::current_or_host();
    about = std::make_shared<const Other>(Other{nullptr, what});
  }
  void found(const ptx::BadAccess&) override {}
  void found(const ptx::Race& race) override {
    auto finding = race_finding(race, Other{nullptr, what_});
    sanitize::record(std::move(finding));
  }

 private:
  const char* what_;
};

void add(std::vector<ptx::races::HostAccess>& out, ptx::Touch touch, const Rows& rows) {
  if (!rows.holder || rows.holder->kind == MemoryKind::host || rows.width == 0) return;
  const auto offset = static_cast<std::uint64_t>(rows.bytes - rows.holder->bytes);
  out.push_back({touch, rows.holder->address + offset, rows.width, rows.rows, rows.pitch});
}

}  // namespace

void note_work(const char* what, const Rows& written, const Rows& read) {
  if (!work_order::is_on()) return;
  std::vector<ptx::races::HostAccess> accesses;
  add(accesses, ptx::Touch::reads, read);
  add(accesses, ptx::Touch::writes, written);
  if (accesses.empty()) return;
  WorkChecks checks(what);
  ptx::races::note(checks, accesses);
}

}  // namespace nvmlkit::cuda::sanitizer
