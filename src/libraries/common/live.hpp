// Handles and descriptors that programs hold: a pointer that was destroyed, or never made, is known as such.
#pragma once

#include <mutex>
#include <unordered_set>

#include "base/never_destroyed.hpp"

namespace nvmlkit::libraries {

template <class T>
class Live {
 public:
  static T* make() {
    auto* const made = new T;
    const std::lock_guard lock(mutex());
    all().insert(made);
    return made;
  }
  static bool has(const T* object) {
    const std::lock_guard lock(mutex());
    return all().contains(object);
  }
  static bool destroy(T* object) {
    {
      const std::lock_guard lock(mutex());
      if (all().erase(object) == 0) return false;
    }
    delete object;
    return true;
  }

 private:
  static std::mutex& mutex() {
    static NeverDestroyed<std::mutex> the;
    return *the;
  }
  static std::unordered_set<const T*>& all() {
    static NeverDestroyed<std::unordered_set<const T*>> the;
    return *the;
  }
};

// Whether all are there.
template <class... T>
bool are_live(const T*... objects) {
  return (Live<T>::has(objects) && ...);
}

}  // namespace nvmlkit::libraries
