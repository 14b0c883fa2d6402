#include "capture/memory.hpp"

#include <algorithm>
#include <cstring>

namespace nvmlkit::capture {
namespace {

constexpr std::size_t kSlack = 4096;              // drivers newer than the header may write more
constexpr std::uint32_t kMostElements = 1 << 16;  // a count above it is no count

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::uint64_t natural(const std::byte* at, std::uint32_t size) {
  switch (size) {
    case 1:
      return load<std::uint8_t>(at);
    case 2:
      return load<std::uint16_t>(at);
    case 4:
      return load<std::uint32_t>(at);
    default:
      return load<std::uint64_t>(at);
  }
}

std::int64_t integer(const std::byte* at, std::uint32_t size) {
  return size == 4   ? load<std::int32_t>(at)
         : size == 8 ? load<std::int64_t>(at)
                     : static_cast<std::int64_t>(natural(at, size));
}

std::string text(const std::byte* at, std::size_t size) {
  const auto* chars = reinterpret_cast<const char*>(at);
  return {chars, ::strnlen(chars, size)};
}

std::string hexadecimal(const std::byte* at, std::size_t size) {
  std::string out;
  for (std::size_t i = 0; i < size; ++i)
    for (const int shift : {4, 0}) out += "0123456789abcdef"[std::to_integer<int>(at[i]) >> shift & 15];
  return out;
}

Json elements(const Layout& layout, const std::byte* at, std::uint32_t count, const HandleNames& names);

// The version that the caller wrote, and room for later. nvmlMemory_v2_t has a value that is called reserved.
bool says_nothing(const Member& m) {
  const std::string_view name = m.name;
  const bool room = name.starts_with("reserved") && (m.count > 0 || m.shape.form == Form::bytes);
  return name == "version" || room;
}

Json structure(const Layout& layout, const std::byte* at, std::size_t limit, const HandleNames& names) {
  Json out = Json::object();
  for (const auto& m : layout.members) {
    const std::size_t end = m.offset + m.shape.size * std::max(m.count, 1u);
    if (end > limit || says_nothing(m)) continue;
    const std::byte* value = at + m.offset;
    if (m.shape.form == Form::pointer) {
      if (m.counted_by < 0) continue;
      const auto* array = load<const std::byte*>(value);
      const auto count = load<std::uint32_t>(at + m.counted_by);
      out[m.name] = array ? elements(layouts()[m.shape.layout], array, std::min(count, kMostElements), names) : Json();
    } else if (m.count == 0) {
      out[m.name] = read_value(m.shape, value, m.shape.size, names);
    } else {
      Json& array = out[m.name] = Json::array();
      for (std::uint32_t i = 0; i < m.count; ++i)
        array.push_back(read_value(m.shape, value + i * m.shape.size, m.shape.size, names));
    }
  }
  return out;
}

Json elements(const Layout& layout, const std::byte* at, std::uint32_t count, const HandleNames& names) {
  Json out = Json::array();
  for (std::uint32_t i = 0; i < count; ++i) {
    // A scalar is a layout of one member without a name.
    const bool scalar = layout.members.size() == 1 && *layout.members[0].name == 0;
    out.push_back(scalar ? read_value(layout.members[0].shape, at, layout.size, names)
                         : structure(layout, at, layout.size, names));
    at += layout.size;
  }
  return out;
}

}  // namespace

Json read_value(const Shape& shape, const std::byte* at, std::size_t limit, const HandleNames& names) {
  switch (shape.form) {
    case Form::natural:
      return natural(at, shape.size);
    case Form::integer:
      return integer(at, shape.size);
    case Form::real:
      return load<double>(at);
    case Form::text:
      return text(at, std::max<std::size_t>(shape.size, limit));
    case Form::bytes:
      return hexadecimal(at, shape.size);
    case Form::structure:
      return structure(layouts()[shape.layout], at, limit, names);
    case Form::handle: {
      const auto known = names.find(load<std::uintptr_t>(at));
      return known == names.end() ? Json() : Json(known->second);
    }
    case Form::pointer:
      break;
  }
  return {};
}

StructBuffer::StructBuffer(const Shape& shape, std::int32_t layout, std::size_t room) {
  memory_.resize(shape.size + kSlack);
  if (layout < 0) return;
  for (const auto& m : layouts()[layout].members)
    if (m.shape.form == Form::pointer && m.counted_by >= 0)
      arrays_.push_back({m.offset,
                         static_cast<std::uint32_t>(m.counted_by),
                         layouts()[m.shape.layout].size,
                         static_cast<std::uint32_t>(room),
                         {}});
  for (auto& array : arrays_) point(array);
}

void StructBuffer::put(std::size_t offset, std::size_t size, std::uint64_t value) {
  std::memcpy(memory_.data() + offset, &value, size);
}

void StructBuffer::point(Array& array) {
  array.memory.assign(std::size_t{array.room} * array.element + kSlack, std::byte{});
  put(array.pointer_at, sizeof(void*), reinterpret_cast<std::uintptr_t>(array.memory.data()));
  put(array.count_at, sizeof array.room, array.room);
}

bool StructBuffer::grow() {
  bool grown = false;
  for (auto& array : arrays_) {
    const auto wanted = load<std::uint32_t>(memory_.data() + array.count_at);
    if (wanted <= array.room || wanted > kMostElements) continue;
    array.room = wanted;
    point(array);
    grown = true;
  }
  return grown;
}

}  // namespace nvmlkit::capture
