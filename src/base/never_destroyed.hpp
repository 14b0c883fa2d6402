// An object that lives to the end of the process. Its destructor never runs, because threads and exit handlers of the
// program may use it until the very end.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace nvmlkit {

// For a static variable: static NeverDestroyed<Table> the; return *the;
template <class T>
class NeverDestroyed {
 public:
  template <class... Args>
  explicit NeverDestroyed(Args&&... args) {
    ::new (static_cast<void*>(place_)) T(std::forward<Args>(args)...);
  }
  NeverDestroyed(const NeverDestroyed&) = delete;
  NeverDestroyed& operator=(const NeverDestroyed&) = delete;

  T& operator*() { return *std::launder(reinterpret_cast<T*>(place_)); }
  T* operator->() { return &**this; }

 private:
  alignas(T) std::byte place_[sizeof(T)];
};

}  // namespace nvmlkit
