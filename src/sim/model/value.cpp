#include "sim/model/value.hpp"

#include <algorithm>
#include <bit>

namespace nvmlkit::sim::model {
namespace {

bool equal_value(const FieldDescriptor& field, const std::byte* a, const std::byte* b) {
  if (field.type == Type::structure) return equal(field.nested(), a, b);
  if (field.text()) return load_text(a, field.capacity) == load_text(b, field.capacity);
  return std::memcmp(a, b, field.value_size) == 0;
}

}  // namespace

void store_text(std::byte* at, std::size_t capacity, std::string_view text) {
  const std::size_t size = std::min(text.size(), capacity - 1);
  std::memcpy(at, text.data(), size);
  std::memset(at + size, 0, capacity - size);
}

std::string_view load_text(const std::byte* at, std::size_t capacity) {
  const char* data = reinterpret_cast<const char*>(at);
  return {data, strnlen(data, capacity)};
}

void set_defaults(const StructDescriptor& type, std::byte* structure) {
  for (const auto& field : type.fields()) {
    if (field.reader || field.list) continue;
    const Member m(field, structure);
    if (field.type == Type::structure) {
      set_defaults(field.nested(), m.data());
    } else if (field.has_default) {
      static_assert(std::endian::native == std::endian::little,
                    "numbers of all widths lie in the low bytes of default_value");
      if (field.text())
        store_text(m.data(), field.capacity, field.default_word());
      else
        std::memcpy(m.data(), &field.default_value, field.value_size);
      m.present() = true;
    }
  }
}

void clear(const StructDescriptor& type, std::byte* structure) {
  for (const auto& field : type.fields()) {
    if (field.reader) continue;
    const Member m(field, structure);
    if (field.list) {
      m.count() = 0;
    } else if (field.type == Type::structure) {
      clear(field.nested(), m.data());
    } else {
      std::memset(m.data(), 0, field.value_size);
      m.present() = false;
      m.stated() = true;
    }
  }
}

void copy(const StructDescriptor& type, std::byte* to, const std::byte* from) {
  if (!type.has_list) {
    std::memcpy(to, from, type.size);
    return;
  }
  // Members lie in the order of the descriptors: whatever stands between two lists is copied in one piece.
  std::size_t done = 0;
  for (const auto& field : type.fields()) {
    if (field.reader) continue;
    const bool nested = !field.list && field.type == Type::structure && field.nested().has_list;
    if (!field.list && !nested) continue;
    std::memcpy(to + done, from + done, field.offset - done);
    if (nested) {
      copy(field.nested(), to + field.offset, from + field.offset);
      done = field.offset + field.nested().size;
      continue;
    }
    const ConstMember source(field, from);
    const Member target(field, to);
    target.count() = source.size();
    for (std::uint32_t i = 0; i < source.size(); ++i) {
      if (field.type == Type::structure)
        copy(field.nested(), target.item(i), source.item(i));
      else
        std::memcpy(target.item(i), source.item(i), field.value_size);
    }
    done = field.offset + field.items_offset + std::size_t{field.value_size} * field.max_items;
  }
  if (done < type.size) std::memcpy(to + done, from + done, type.size - done);
}

bool equal(const FieldDescriptor& field, const std::byte* struct_a, const std::byte* struct_b) {
  if (field.reader) return true;
  const ConstMember a(field, struct_a), b(field, struct_b);
  if (field.list) {
    if (a.size() != b.size()) return false;
    for (std::uint32_t i = 0; i < a.size(); ++i)
      if (!equal_value(field, a.item(i), b.item(i))) return false;
    return true;
  }
  if (field.type == Type::structure) return equal(field.nested(), a.data(), b.data());
  return a.present() == b.present() && (!a.present() || equal_value(field, a.data(), b.data()));
}

bool equal(const StructDescriptor& type, const std::byte* a, const std::byte* b) {
  return std::all_of(type.fields().begin(), type.fields().end(),
                     [&](const FieldDescriptor& field) { return equal(field, a, b); });
}

namespace {

bool flag(const std::byte* at) { return *at <= std::byte{1}; }

bool well_formed_value(const FieldDescriptor& field, const std::byte* at) {
  if (field.type == Type::structure) return well_formed(field.nested(), at);
  if (field.type == Type::boolean) return flag(at);
  return !field.text() || at[field.capacity - 1] == std::byte{0};
}

}  // namespace

bool well_formed(const StructDescriptor& type, const std::byte* structure) {
  return std::all_of(type.fields().begin(), type.fields().end(), [&](const FieldDescriptor& field) {
    if (field.reader) return true;
    const ConstMember m(field, structure);
    if (field.list) {
      if (m.count() > field.max_items) return false;
      for (std::uint32_t i = 0; i < m.count(); ++i)
        if (!well_formed_value(field, m.item(i))) return false;
      return true;
    }
    if (field.type == Type::structure) return well_formed(field.nested(), m.data());
    const std::byte* present = m.data() + field.present_offset;
    return flag(present) && flag(present + 1) && well_formed_value(field, m.data());
  });
}

}  // namespace nvmlkit::sim::model
