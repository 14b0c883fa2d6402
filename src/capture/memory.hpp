// Reads values from memory, in the layout of the headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "capture/answers.hpp"

namespace nvmlkit::capture {

// The names of handles that are known by now; others are null.
using HandleNames = std::map<std::uintptr_t, std::string>;

// `limit`: bytes that the driver knows of; members behind are left out.
Json read_value(const Shape& shape, const std::byte* at, std::size_t limit, const HandleNames& names);

// A struct that a driver writes, with the arrays that its pointers lead to.
class StructBuffer {
 public:
  StructBuffer(const Shape& shape, std::int32_t layout, std::size_t room);

  std::byte* data() { return memory_.data(); }
  void put(std::size_t offset, std::size_t size, std::uint64_t value);
  // Gives arrays as much room as their counts now ask for, where that is more; false where none does.
  bool grow();

 private:
  struct Array {
    std::uint32_t pointer_at, count_at, element;
    std::uint32_t room;
    std::vector<std::byte> memory;
  };
  void point(Array& array);

  std::vector<std::byte> memory_;
  std::vector<Array> arrays_;
};

}  // namespace nvmlkit::capture
