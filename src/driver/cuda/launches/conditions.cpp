#include "driver/cuda/launches/conditions.hpp"

#include "base/never_destroyed.hpp"
#include "driver/cuda/handles.hpp"

namespace nvmlkit::cuda {
namespace {

using ConditionKey = struct ConditionTag*;
ConditionKey condition_key(CUgraphConditionalHandle handle) {
  return reinterpret_cast<ConditionKey>(static_cast<std::uintptr_t>(handle));
}

auto& all_conditions() {
  static NeverDestroyed<Handles<ConditionKey, std::weak_ptr<Condition>, HandleKind::condition>> the;
  return *the;
}

}  // namespace

Condition::~Condition() { all_conditions().remove(condition_key(handle)); }

namespace conditions {

std::shared_ptr<Condition> make(std::uint32_t at_launch, bool is_set_at_launch) {
  auto made = std::make_shared<Condition>();
  made->value = made->at_launch = at_launch;
  made->is_set_at_launch = is_set_at_launch;
  made->handle =
      reinterpret_cast<std::uintptr_t>(all_conditions().add(std::make_shared<std::weak_ptr<Condition>>(made)));
  return made;
}

std::shared_ptr<Condition> find(CUgraphConditionalHandle handle) {
  const auto found = all_conditions().find(condition_key(handle));
  return found ? found->lock() : nullptr;
}

}  // namespace conditions
}  // namespace nvmlkit::cuda
