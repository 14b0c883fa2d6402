#include "libraries/cufft/plan.hpp"

#include "base/never_destroyed.hpp"
#include "libraries/cufft/single.hpp"

namespace nvmlkit::cufft {
namespace {

struct Plans {
  std::mutex mutex;
  std::map<Handle, std::shared_ptr<Plan>> by_handle;
  Handle next = 1;
};

Plans& plans() {
  static NeverDestroyed<Plans> all;
  return *all;
}

}  // namespace

cufftResult Plan::set_layout(const Layout& layout) {
  if (gpus_)
    if (const auto result = Spread::make(layout, gpus_->count(), spread_); result != CUFFT_SUCCESS) return result;
  if (const auto result = callbacks.prepare(layout); result != CUFFT_SUCCESS) return result;
  layout_ = layout;
  return CUFFT_SUCCESS;
}

template <class Real>
std::shared_ptr<const fft::Transform<Real>> Plan::transform(Made<Real>& made, const Key& key) {
  const std::lock_guard lock(mutex_);
  auto& slot = made[key];
  const auto& [sign, in_place, is_one, batch] = key;
  if (!slot) slot = fft::Transform<Real>::make(layout_->shape(in_place, batch), sign, is_one);
  return slot;
}

Single Plan::single_transform(int sign, const Places& places, std::int64_t batch) {
  return transform<float>(singles_, {sign, places.in_place, places.is_one, batch});
}

Double Plan::double_transform(int sign, const Places& places, std::int64_t batch) {
  return transform<double>(doubles_, {sign, places.in_place, places.is_one, batch});
}

std::shared_ptr<const Stages> Plan::stages(cufftXtSubFormat before, int sign) {
  const std::lock_guard lock(mutex_);
  auto& slot = stages_[{before, sign}];
  if (!slot) slot = make_stages(*spread_, *layout_, before, sign);
  return slot;
}

Handle add_plan() {
  Plans& all = plans();
  const std::lock_guard lock(all.mutex);
  all.by_handle.emplace(all.next, std::make_shared<Plan>());
  return all.next++;
}

std::shared_ptr<Plan> find_plan(Handle handle) {
  Plans& all = plans();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_handle.find(handle);
  return found == all.by_handle.end() ? nullptr : found->second;
}

bool remove_plan(Handle handle) {
  Plans& all = plans();
  const std::lock_guard lock(all.mutex);
  return all.by_handle.erase(handle) > 0;
}

}  // namespace nvmlkit::cufft
