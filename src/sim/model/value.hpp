// Operations on structs of the model through their descriptors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "sim/model/descriptor.hpp"

namespace nvmlkit::sim::model {

// One member of one struct, without its static type.
template <class Byte>
class BasicMember {
  template <class T>
  using Like = std::conditional_t<std::is_const_v<Byte>, const T, T>;

 public:
  BasicMember(const FieldDescriptor& field, Byte* structure) : field_(&field), at_(structure + field.offset) {}

  const FieldDescriptor& field() const { return *field_; }
  Byte* data() const { return at_; }  // of the value, or of the nested struct
  Byte* item(std::size_t i) const { return at_ + field_->items_offset + i * field_->value_size; }
  Like<std::uint32_t>& count() const { return *reinterpret_cast<Like<std::uint32_t>*>(at_); }
  // Items of a list; never more than it can have, whatever `count` is.
  std::uint32_t size() const { return std::min(count(), field_->max_items); }
  Like<bool>& present() const { return *reinterpret_cast<Like<bool>*>(at_ + field_->present_offset); }
  Like<bool>& stated() const { return *reinterpret_cast<Like<bool>*>(at_ + field_->present_offset + 1); }

 private:
  const FieldDescriptor* field_;
  Byte* at_;
};
using Member = BasicMember<std::byte>;
using ConstMember = BasicMember<const std::byte>;

// Writes a text of fewer than `capacity` bytes and zeroes what is left.
void store_text(std::byte* at, std::size_t capacity, std::string_view text);
std::string_view load_text(const std::byte* at, std::size_t capacity);

// Gives every field the default of the registry; `structure` must be zero.
void set_defaults(const StructDescriptor& type, std::byte* structure);

// Makes every field absent and every list empty: the effect of N/A in place of the struct.
void clear(const StructDescriptor& type, std::byte* structure);

// Copies without touching the unused ends of lists.
void copy(const StructDescriptor& type, std::byte* to, const std::byte* from);

// The same values; who stated them does not count.
bool equal(const StructDescriptor& type, const std::byte* a, const std::byte* b);
bool equal(const FieldDescriptor& field, const std::byte* struct_a, const std::byte* struct_b);

// Could code have written these bytes? Flags are 0 or 1, lists within their bounds, texts end. What a struct of other
// bytes holds must not be looked at.
bool well_formed(const StructDescriptor& type, const std::byte* structure);

template <class T>
void set_defaults(T& structure) {
  set_defaults(descriptor<T>(), reinterpret_cast<std::byte*>(&structure));
}
template <class T>
void copy(T& to, const T& from) {
  copy(descriptor<T>(), reinterpret_cast<std::byte*>(&to), reinterpret_cast<const std::byte*>(&from));
}
template <class T>
bool equal(const T& a, const T& b) {
  return equal(descriptor<T>(), reinterpret_cast<const std::byte*>(&a), reinterpret_cast<const std::byte*>(&b));
}

}  // namespace nvmlkit::sim::model
