// The memory that a call reads and writes, found by the shape of its function.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nvmlkit/interpose/hook.hpp>

#include "bindings/call_memory/shape.hpp"

namespace nvmlkit::nvml::interpose {

inline constexpr std::size_t kMostArguments = 16;
inline constexpr std::size_t kMostHolders = 1024;  // elements of a struct whose pointers are followed

template <class T>
T* at_word(Word word) noexcept {
  return reinterpret_cast<T*>(word);
}

// A piece of memory of a call: behind an argument, or behind a pointer inside the argument's struct.
struct Region {
  std::uint32_t argument;
  std::int64_t offset;  // of the pointer inside the struct; -1: behind the argument itself
  unsigned char* address;
  std::size_t size;
};

// A call before it is made: numbers of elements, which the call may overwrite.
class Before {
 public:
  Before(const Shape& shape, const Word* words) noexcept;

  const Shape& shape() const noexcept { return shape_; }
  const Word* words() const noexcept { return words_; }
  // Elements that there is room for behind an argument.
  std::size_t room(std::size_t argument) const noexcept { return rooms_[argument]; }
  // Bytes of what lies behind an argument that is no array.
  std::size_t struct_size(std::size_t argument) const noexcept { return sizes_[argument]; }

  // Copies what the function reads, in a form that is equal for equal questions: pointers and bytes that only receive
  // the answer are zero. `to` has room for the region.
  void copy_input(const Region& region, unsigned char* to) const noexcept;
  // Visits regions that are read: behind arguments if `nested` is false, else behind pointers inside them.
  template <class Visit>
  void inputs(bool nested, Visit visit) const {
    if (!shape_.followed) return;
    for (std::uint32_t i = 0; !nested && i < shape_.arguments.size(); ++i)
      if (const Region region = input(i); region.address) visit(region);
    if (!nested) return;
    for (const Pointer& pointer : shape_.pointers)
      for (std::size_t k = 0; k < holders(pointer); ++k)
        if (const Region region = input(pointer, k); region.address) visit(region);
  }
  // Visits regions that the call has written.
  template <class Visit>
  void outputs(bool nested, int result, Visit visit) const {
    if (!shape_.followed) return;
    for (std::uint32_t i = 0; !nested && i < shape_.arguments.size(); ++i)
      if (const Region region = output(i, result); region.address) visit(region);
    if (!nested) return;
    for (const Pointer& pointer : shape_.pointers)
      for (std::size_t k = 0; k < holders(pointer); ++k)
        if (const Region region = output(pointer, k, result); region.address) visit(region);
  }
  // Copies a written region; pointers inside are zero.
  void copy_output(const Region& region, unsigned char* to) const noexcept;

  // Where pointers to texts of the driver are still undefined, a null is what a failed answer leaves.
  void clear_text_pointers() const noexcept;

  // How many pointers of this kind the struct holds, and where the k-th is; the room behind it.
  std::size_t holders(const Pointer& pointer) const noexcept;
  static std::size_t place(const Pointer& pointer, std::size_t k) noexcept {
    return pointer.offset + k * pointer.stride;
  }
  std::size_t nested_room(const Pointer& pointer) const noexcept;

 private:
  Region input(std::uint32_t argument) const noexcept;
  Region input(const Pointer& pointer, std::size_t k) const noexcept;
  Region output(std::uint32_t argument, int result) const noexcept;
  Region output(const Pointer& pointer, std::size_t k, int result) const noexcept;
  void clear_pointers(std::uint32_t argument, unsigned char* bytes, std::size_t size) const noexcept;

  const Shape& shape_;
  const Word* words_;
  std::array<std::size_t, kMostArguments> rooms_, sizes_;
  std::array<std::size_t, 8> counts_{}, numbers_{};  // by the place of a pointer in the shape
};

}  // namespace nvmlkit::nvml::interpose
