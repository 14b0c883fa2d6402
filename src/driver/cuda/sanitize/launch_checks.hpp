// What is found in one launch: each place once, with the number of threads.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

#include "driver/cuda/launches/launch.hpp"
#include "driver/cuda/sanitize/host_work.hpp"
#include "ptx/checks.hpp"
#include "ptx/launch.hpp"
#include "sanitize/finding.hpp"

namespace nvmlkit::cuda::sanitizer {

sanitize::Touch touch_of(ptx::Touch touch);
std::vector<sanitize::DevicePlace> places_of(const Launch& launch, const std::vector<ptx::Place>& places);
// `own` is the side that found it.
sanitize::Finding race_finding(const ptx::Race& race, const Other& own);

class LaunchChecks final : public ptx::Checks {
 public:
  // Null for a launch that is not checked: without a sanitizer, or left out by its filters.
  static std::unique_ptr<LaunchChecks> make(const Launch& launch);
  explicit LaunchChecks(const Launch& launch);

  void found(const ptx::BadAccess& access) override;
  void found(const ptx::BadBarrier& barrier) override;
  void found(const std::vector<ptx::Waiters>& waiters) override;
  void found(const ptx::Race& race) override;
  // Records what was found, and what ended the launch. True: the context is to end.
  bool finish(const ptx::Fault& fault, const std::string& text);

 private:
  using Key = std::tuple<const ptx::Function*, std::uint32_t, ptx::BadAccess::Kind>;
  void note_unseen() const;
  sanitize::Finding finding_of(const ptx::BadAccess& access) const;

  sanitize::Finding new_finding(sanitize::Kind kind) const;

  const Launch& launch_;
  std::mutex mutex_;
  std::map<Key, sanitize::Finding> findings_;
  std::map<std::tuple<const ptx::Function*, std::uint32_t, std::string>, sanitize::Finding> barriers_;
  bool has_deadlock_ = false;
};

}  // namespace nvmlkit::cuda::sanitizer
