#include "libraries/cufft/plan.hpp"

#include <map>

#include "base/never_destroyed.hpp"

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

template <class Real>
std::shared_ptr<const fft::Transform<Real>> Plan::transform(std::shared_ptr<const fft::Transform<Real>> (&made)[2][2],
                                                            int sign, bool in_place) {
  const std::lock_guard lock(mutex_);
  auto& slot = made[sign < 0][in_place];
  if (!slot) slot = fft::Transform<Real>::make(layout_->shape(in_place), sign, in_place);
  return slot;
}

template Single Plan::transform(Single (&)[2][2], int, bool);
template Double Plan::transform(Double (&)[2][2], int, bool);

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
