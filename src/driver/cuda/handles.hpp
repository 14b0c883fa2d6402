// Handles: numbers that are no addresses, are never followed, and are never reused. A caller may pass any
// value.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace nvmlkit::cuda {

enum class HandleKind : std::uintptr_t {
  context = 1,
  stream,
  event,
  module,
  function,
  library,
  kernel,
  graph,
  graph_node,
  executable_graph,
  pool,
  physical,
  array,
  texture,
  mipmapped_array,
  texture_reference,
  link,
  user_object,
  condition,
  notification,
  resource_description,
  green_context
};

template <class Handle, class T, HandleKind kind>
class Handles {
 public:
  Handle add(std::shared_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    const auto number = next_++;
    objects_.emplace(number, std::move(object));
    return handle_of(number);
  }

  // The handle of an object that was removed, for its successor.
  void put_back(Handle handle, std::shared_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    objects_.insert_or_assign(number_of(handle), std::move(object));
  }

  // Null for what is no handle of ours, or no longer.
  std::shared_ptr<T> find(Handle handle) const {
    const std::lock_guard lock(mutex_);
    const auto at = objects_.find(number_of(handle));
    return at == objects_.end() ? nullptr : at->second;
  }

  std::shared_ptr<T> remove(Handle handle) {
    const std::lock_guard lock(mutex_);
    const auto at = objects_.find(number_of(handle));
    if (at == objects_.end()) return nullptr;
    auto object = std::move(at->second);
    objects_.erase(at);
    return object;
  }

  // Removes those that the predicate holds for.
  template <class Predicate>
  std::vector<std::shared_ptr<T>> take_if(Predicate predicate) {
    std::vector<std::shared_ptr<T>> taken;
    const std::lock_guard lock(mutex_);
    std::erase_if(objects_, [&](auto& entry) {
      if (!predicate(*entry.second)) return false;
      taken.push_back(std::move(entry.second));
      return true;
    });
    return taken;
  }

  template <class Work>
  void each(Work work) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, object] : objects_) work(*object);
  }

  template <class Predicate>
  void remove_if(Predicate predicate) {
    const std::lock_guard lock(mutex_);
    std::erase_if(objects_, [&](const auto& entry) { return predicate(*entry.second); });
  }

 private:
  // Above every address that a process can have.
  static constexpr std::uintptr_t kBase = static_cast<std::uintptr_t>(kind) << 56;

  static Handle handle_of(std::uintptr_t number) { return reinterpret_cast<Handle>(kBase | number << 4); }
  static std::uintptr_t number_of(Handle handle) {
    const auto offset = reinterpret_cast<std::uintptr_t>(handle) - kBase;
    return offset % 16 == 0 && offset < std::uintptr_t{1} << 56 ? offset >> 4 : 0;
  }

  mutable std::mutex mutex_;
  std::uintptr_t next_ = 1;
  std::map<std::uintptr_t, std::shared_ptr<T>> objects_;
};

}  // namespace nvmlkit::cuda
