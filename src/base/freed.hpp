// Ownership of an object of a C library, by the function that frees it.
#pragma once

namespace nvmlkit {

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

}  // namespace nvmlkit
