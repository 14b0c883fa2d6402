// The places of the variables of a module: an access has to lie in one of them.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.hpp"

namespace nvmlkit::ptx {

struct Extent {
  std::uint64_t start = 0, size = 0;
  const Variable* variable = nullptr;  // null: memory that a launch asks for

  bool holds(std::uint64_t address, std::uint64_t bytes) const {
    return address - start < size && bytes <= size - (address - start);
  }
};

class Extents {
 public:
  // All variables of the space have their places.
  void add(const Variable& variable) { all_.push_back({variable.offset, variable.size, &variable}); }
  void sort();

  bool hold(std::uint64_t address, std::uint64_t bytes) const {
    const auto* const last = before(address);
    return last && last->holds(address, bytes);
  }
  // The one that ends or begins nearest; null: there are none.
  const Extent* nearest(std::uint64_t address) const;

 private:
  // The last one that begins at or before the address.
  const Extent* before(std::uint64_t address) const;

  std::vector<Extent> all_;
};

// Of a module that is checked.
struct ModuleExtents {
  Extents shared, image;
  std::uint64_t image_start = 0, image_size = 0;
};

}  // namespace nvmlkit::ptx
