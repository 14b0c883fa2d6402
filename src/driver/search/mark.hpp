// The mark of a library that belongs to a driver root. `nvmlkit root` sets it in the copies that it makes. It lies in
// the library itself: a container may get the library and no other file of the root.
#pragma once

namespace nvmlkit::driver::search {

// Lies in each driver library, once. A copy gets another last byte.
struct Mark {
  static constexpr char kSet = 'y';

  char name[29] = "nvmlkit: library of a root: ";
  char value = 'n';
};

// Does this library belong to a root?
bool is_marked();

}  // namespace nvmlkit::driver::search
