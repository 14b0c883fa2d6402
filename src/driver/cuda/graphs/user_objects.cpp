#include "driver/cuda/graphs/user_objects.hpp"

#include <mutex>

#include "base/never_destroyed.hpp"
#include "driver/cuda/handles.hpp"

namespace nvmlkit::cuda {
namespace {

struct UserObject {
  void* object = nullptr;
  CUhostFn destroy = nullptr;
  std::mutex mutex;
  unsigned long long holds = 0;
};

auto& all_objects() {
  static NeverDestroyed<Handles<CUuserObject, UserObject, HandleKind::user_object>> the;
  return *the;
}

}  // namespace

namespace user_objects {

CUuserObject make(void* object, CUhostFn destroy, unsigned holds) {
  auto made = std::make_shared<UserObject>();
  made->object = object;
  made->destroy = destroy;
  made->holds = holds;
  return all_objects().add(std::move(made));
}

bool retain(CUuserObject handle, unsigned long long holds) {
  const auto own = all_objects().find(handle);
  if (!own) return false;
  const std::lock_guard lock(own->mutex);
  if (own->holds == 0) return false;
  own->holds += holds;
  return true;
}

bool release(CUuserObject handle, unsigned long long holds) {
  const auto own = all_objects().find(handle);
  if (!own) return false;
  {
    const std::lock_guard lock(own->mutex);
    if (own->holds < holds) return false;
    own->holds -= holds;
    if (own->holds > 0) return true;
  }
  if (all_objects().remove(handle)) own->destroy(own->object);
  return true;
}

}  // namespace user_objects

UserObjects::UserObjects(const UserObjects& other) : holds_(other.holds_) {
  for (const auto& [object, holds] : holds_) user_objects::retain(object, holds);
}

UserObjects& UserObjects::operator=(const UserObjects& other) {
  UserObjects copy(other);
  holds_.swap(copy.holds_);
  return *this;
}

UserObjects::~UserObjects() {
  for (const auto& [object, holds] : holds_) user_objects::release(object, holds);
}

bool UserObjects::retain(CUuserObject object, unsigned holds) {
  return user_objects::retain(object, holds) && adopt(object, holds);
}

bool UserObjects::adopt(CUuserObject object, unsigned holds) {
  if (!user_objects::retain(object, 0)) return false;
  holds_[object] += holds;
  return true;
}

bool UserObjects::release(CUuserObject object, unsigned holds) {
  const auto at = holds_.find(object);
  if (at == holds_.end() || at->second < holds) return false;
  at->second -= holds;
  if (at->second == 0) holds_.erase(at);
  return user_objects::release(object, holds);
}

}  // namespace nvmlkit::cuda
