#include "bindings/call_memory/memory.hpp"

#include <algorithm>
#include <cstring>

namespace nvmlkit::nvml::interpose {
namespace {

constexpr std::size_t kLongestText = 65536;
constexpr std::size_t kMostBytes = std::size_t{16} << 20;
// What an element of a request for field values asks with: the id and the scope.
constexpr std::size_t kFieldValueAsks = 8;

std::uint32_t number_at(const unsigned char* bytes) noexcept {
  std::uint32_t out = 0;
  std::memcpy(&out, bytes, sizeof out);
  return out;
}

Word pointer_at(const unsigned char* bytes) noexcept {
  Word out = 0;
  std::memcpy(&out, bytes, sizeof out);
  return out;
}

bool behind_pointer(ArgumentKind kind) noexcept { return kind != ArgumentKind::value && kind != ArgumentKind::handle; }

// Leaves the first bytes of each element.
void keep_asked(unsigned char* bytes, std::size_t size, std::size_t stride, std::size_t asks) noexcept {
  for (std::size_t at = 0; at < size; at += stride)
    if (const std::size_t end = std::min(stride, size - at); asks < end) std::memset(bytes + at + asks, 0, end - asks);
}

constexpr Region kNone{0, -1, nullptr, 0};

}  // namespace

Before::Before(const Shape& shape, const Word* words) noexcept : shape_(shape), words_(words) {
  for (std::size_t i = 0; i < shape.arguments.size(); ++i) {
    const Argument& argument = shape.arguments[i];
    const bool pointer = behind_pointer(argument.kind) && words[i] != 0;
    rooms_[i] = 1;
    sizes_[i] = argument.size;
    if (argument.length >= 0) {
      const auto length = static_cast<std::size_t>(argument.length);
      const bool value = shape.arguments[length].kind == ArgumentKind::value;
      rooms_[i] = value ? static_cast<std::uint32_t>(words[length])
                        : (words[length] ? number_at(at_word<unsigned char>(words[length])) : 0);
    }
    if (!pointer) continue;
    auto* bytes = at_word<unsigned char>(words[i]);
    // The version of a struct has its size: an older caller has less memory.
    if (shape.versioned == static_cast<int>(i))
      if (const std::size_t size = number_at(bytes) & 0xffffff; size >= 4) sizes_[i] = std::min(sizes_[i], size);
    if (shape.elements && shape.elements->number >= 0 && shape.elements->argument == i) {
      const Elements& row = *shape.elements;
      const std::size_t most = (argument.size - row.offset) / row.stride;
      sizes_[i] = row.offset + std::min<std::size_t>(number_at(bytes + row.number), most) * row.stride;
    }
  }
  for (std::size_t i = 0; i < shape.pointers.size() && i < counts_.size(); ++i) {
    const Pointer& pointer = shape.pointers[i];
    const auto* bytes = at_word<unsigned char>(words[pointer.argument]);
    if (!bytes || !shape.followed) continue;
    if (pointer.count >= 0) counts_[i] = number_at(bytes + pointer.count);
    numbers_[i] = pointer.each < 0 ? 1 : std::min<std::size_t>(number_at(bytes + pointer.each), kMostHolders);
  }
}

std::size_t Before::holders(const Pointer& pointer) const noexcept {
  return numbers_[static_cast<std::size_t>(&pointer - shape_.pointers.data())];
}

std::size_t Before::nested_room(const Pointer& pointer) const noexcept {
  return counts_[static_cast<std::size_t>(&pointer - shape_.pointers.data())] * pointer.size;
}

Region Before::input(std::uint32_t i) const noexcept {
  const Argument& argument = shape_.arguments[i];
  if (!behind_pointer(argument.kind) || words_[i] == 0) return kNone;
  auto* bytes = at_word<unsigned char>(words_[i]);
  switch (argument.kind) {
    case ArgumentKind::text:
      return {i, -1, bytes, ::strnlen(at_word<char>(words_[i]), kLongestText)};
    case ArgumentKind::input:
    case ArgumentKind::keyed_array:
      return {i, -1, bytes, std::min(kMostBytes, sizes_[i] * rooms_[i])};
    case ArgumentKind::inout:
      return {i, -1, bytes, sizes_[i]};
    default:
      return kNone;
  }
}

Region Before::input(const Pointer& pointer, std::size_t k) const noexcept {
  const auto* bytes = at_word<unsigned char>(words_[pointer.argument]);
  const auto offset = static_cast<std::int64_t>(place(pointer, k));
  const Word target = pointer_at(bytes + offset);
  if (target == 0) return kNone;
  if (pointer.kind == PointerKind::text_in)
    return {pointer.argument, offset, at_word<unsigned char>(target), ::strnlen(at_word<char>(target), kLongestText)};
  if (pointer.kind == PointerKind::array && pointer.asks > 0)
    return {pointer.argument, offset, at_word<unsigned char>(target), std::min(kMostBytes, nested_room(pointer))};
  return kNone;
}

Region Before::output(std::uint32_t i, int result) const noexcept {
  const Argument& argument = shape_.arguments[i];
  if (!behind_pointer(argument.kind) || words_[i] == 0) return kNone;
  auto* bytes = at_word<unsigned char>(words_[i]);
  if (argument.kind == ArgumentKind::inout) return {i, -1, bytes, sizes_[i]};
  if (result != 0) return kNone;
  switch (argument.kind) {
    case ArgumentKind::output:
      return argument.size == 0 ? kNone : Region{i, -1, bytes, argument.size * rooms_[i]};
    case ArgumentKind::text_out: {
      const std::size_t room = argument.length >= 0 ? rooms_[i] : argument.size;
      return {i, -1, bytes, std::min(::strnlen(at_word<char>(words_[i]), room) + 1, room)};
    }
    case ArgumentKind::array:
    case ArgumentKind::keyed_array: {
      // A count in and out is after the call how many there are, which may be more than there was room for.
      std::size_t count = rooms_[i];
      const auto length = static_cast<std::size_t>(argument.length);
      if (shape_.arguments[length].kind == ArgumentKind::inout && words_[length] != 0)
        count = std::min<std::size_t>(count, number_at(at_word<unsigned char>(words_[length])));
      if (shape_.arguments[length].kind == ArgumentKind::output && words_[length] != 0)
        count = number_at(at_word<unsigned char>(words_[length]));
      return {i, -1, bytes, std::min(kMostBytes, count * argument.size)};
    }
    default:
      return kNone;
  }
}

Region Before::output(const Pointer& pointer, std::size_t k, int result) const noexcept {
  const auto* bytes = at_word<unsigned char>(words_[pointer.argument]);
  const auto offset = static_cast<std::int64_t>(place(pointer, k));
  const Word target = pointer_at(bytes + offset);
  if (target == 0 || result != 0 || pointer.kind == PointerKind::text_in) return kNone;
  auto* address = at_word<unsigned char>(target);
  if (pointer.kind == PointerKind::text_out)
    return {pointer.argument, offset, address, ::strnlen(at_word<char>(target), kLongestText)};
  const std::size_t count = number_at(bytes + pointer.count);
  return {pointer.argument, offset, address, std::min({kMostBytes, nested_room(pointer), count * pointer.size})};
}

void Before::clear_pointers(std::uint32_t argument, unsigned char* bytes, std::size_t size) const noexcept {
  for (const Pointer& pointer : shape_.pointers)
    for (std::size_t k = 0; pointer.argument == argument && k < holders(pointer); ++k)
      if (place(pointer, k) + sizeof(Word) <= size) std::memset(bytes + place(pointer, k), 0, sizeof(Word));
}

void Before::copy_input(const Region& region, unsigned char* bytes) const noexcept {
  std::memcpy(bytes, region.address, region.size);
  if (region.offset >= 0) {
    for (const Pointer& pointer : shape_.pointers)
      if (pointer.offset == region.offset && pointer.asks > 0)
        keep_asked(bytes, region.size, pointer.size, pointer.asks);
    return;
  }
  if (shape_.arguments[region.argument].kind == ArgumentKind::keyed_array)
    keep_asked(bytes, region.size, shape_.arguments[region.argument].size, kFieldValueAsks);
  if (const Elements* row = shape_.elements; row && row->argument == region.argument && region.size > row->offset)
    keep_asked(bytes + row->offset, region.size - row->offset, row->number < 0 ? region.size : row->stride, row->asks);
  clear_pointers(region.argument, bytes, region.size);
}

void Before::copy_output(const Region& region, unsigned char* bytes) const noexcept {
  std::memcpy(bytes, region.address, region.size);
  if (region.offset < 0) clear_pointers(region.argument, bytes, region.size);
}

void Before::clear_text_pointers() const noexcept {
  for (const Pointer& pointer : shape_.pointers)
    for (std::size_t k = 0; pointer.kind == PointerKind::text_out && k < holders(pointer); ++k)
      std::memset(at_word<unsigned char>(words_[pointer.argument]) + place(pointer, k), 0, sizeof(Word));
}

}  // namespace nvmlkit::nvml::interpose
