#include "sim/config/scalar.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "sim/model/pci_bus_id.hpp"
#include "sim/model/value.hpp"
#include "sim/problem/names.hpp"

namespace nvmlkit::sim::config {
namespace {

using model::FieldDescriptor;
using model::Type;

std::string given(const Node& node) {
  if (node.kind() == Kind::sequence) return "a list";
  if (node.kind() == Kind::mapping) return "a mapping";
  return quote(node.text());
}

detail::unexpected<Problem> expected(Prose what, const Node& node) {
  return fail(wrong_value(std::move(what), given(node)));
}

std::string range_text(const FieldDescriptor& field) {
  std::string out = std::to_string(field.min);
  out.append(" to ").append(std::to_string(field.max));
  if (!field.unit().empty()) out.append(" ").append(field.unit());
  return out;
}

template <class T>
Expected<void> read_integer(const Node& node, const FieldDescriptor& field, std::byte* at) {
  const bool number = node.kind() == Kind::scalar && (node.plain() || field.quoted);
  const auto value = number ? parse_integer(node.text()) : std::nullopt;
  if (!value) return expected("a whole number", node);
  const auto highest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  const auto lowest = std::numeric_limits<T>::is_signed ? highest + 1 : 0;
  const bool fits = value->magnitude <= (value->negative ? lowest : highest);
  if (!fits && !field.ranged)
    return expected(std::to_string(std::numeric_limits<T>::min()) + " to " + std::to_string(highest), node);
  const T result = static_cast<T>(value->negative ? 0 - value->magnitude : value->magnitude);
  // Ranges lie within int64, so a value above its maximum as unsigned is above every range.
  const bool in_int64 =
      value->negative || value->magnitude <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (field.ranged && (!fits || !in_int64 || static_cast<std::int64_t>(result) < field.min ||
                       static_cast<std::int64_t>(result) > field.max))
    return expected(range_text(field), node);
  std::memcpy(at, &result, sizeof(result));
  return {};
}

Expected<void> read_float(const Node& node, const FieldDescriptor& field, std::byte* at) {
  double value = 0;
  bool good = node.kind() == Kind::scalar && node.plain();
  if (good) {
    const std::string_view t = node.text();
    const auto [stop, error] = std::from_chars(t.data(), t.data() + t.size(), value);
    good = error == std::errc() && stop == t.data() + t.size() && std::isfinite(value);
  }
  if (!good) return expected("a number", node);
  if (field.ranged && (value < static_cast<double>(field.min) || value > static_cast<double>(field.max)))
    return expected(range_text(field), node);
  std::memcpy(at, &value, sizeof(value));
  return {};
}

Expected<void> read_word(const Node& node, const FieldDescriptor& field, std::byte* at) {
  const auto words = field.words();
  if (node.kind() == Kind::scalar) {
    for (const auto& word : words) {
      if (word.word() != node.text()) continue;
      if (field.type == Type::enumeration)
        std::memcpy(at, &word.value, sizeof(word.value));
      else
        model::store_text(at, field.capacity, node.text());
      return {};
    }
  }
  std::vector<std::string_view> candidates;
  for (const auto& word : words) candidates.push_back(word.word());
  if (node.kind() == Kind::scalar) return fail(unknown_name("word", node.text(), candidates));
  auto problem = wrong_value("a word", given(node));
  problem.hint = valid_names(candidates);
  return fail(std::move(problem));
}

Expected<void> read_text(const Node& node, const FieldDescriptor& field, std::byte* at) {
  if (node.kind() != Kind::scalar) return expected("a text", node);
  const std::string_view t = node.text();
  if (field.type == Type::uuid && !is_gpu_uuid(t))
    return expected("GPU- and 32 hexadecimal digits in groups of 8-4-4-4-12", node);
  if (t.size() >= field.capacity)
    return fail(wrong_value("at most " + std::to_string(field.capacity - 1) + " bytes", std::to_string(t.size())));
  for (const char c : t)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return expected("a text without control characters", node);
  model::store_text(at, field.capacity, t);
  return {};
}

}  // namespace

std::optional<Integer> parse_integer(std::string_view text) {
  Integer out{false, 0};
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    out.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
    text.remove_prefix(2);
  }
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), out.magnitude, base);
  if (text.empty() || error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return out;
}

std::optional<bool> parse_bool(std::string_view text) {
  for (const std::string_view yes : {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"})
    if (text == yes) return true;
  for (const std::string_view no : {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"})
    if (text == no) return false;
  return std::nullopt;
}

bool is_gpu_uuid(std::string_view text) {
  constexpr std::string_view kShape = "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  if (text.size() != kShape.size()) return false;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    const char c = text[i];
    const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (kShape[i] == 'x' ? !hex : c != kShape[i]) return false;
  }
  return true;
}

Expected<void> read_scalar(const Node& node, const FieldDescriptor& field, std::byte* at) {
  switch (field.type) {
    case Type::boolean: {
      const auto value = node.kind() == Kind::scalar && node.plain() ? parse_bool(node.text()) : std::nullopt;
      if (!value) return expected("true or false", node);
      std::memcpy(at, &*value, sizeof(bool));
      return {};
    }
    case Type::u32:
    case Type::hex32:
      return read_integer<std::uint32_t>(node, field, at);
    case Type::u64:
    case Type::hex64:
      return read_integer<std::uint64_t>(node, field, at);
    case Type::i32:
      return read_integer<std::int32_t>(node, field, at);
    case Type::i64:
      return read_integer<std::int64_t>(node, field, at);
    case Type::f64:
      return read_float(node, field, at);
    case Type::string:
      return field.word_count > 0 ? read_word(node, field, at) : read_text(node, field, at);
    case Type::uuid:
      return read_text(node, field, at);
    case Type::enumeration:
      return read_word(node, field, at);
    case Type::pci_bus_id: {
      const auto id = node.kind() == Kind::scalar ? model::parse_pci_bus_id(node.text()) : std::nullopt;
      if (!id) return expected("a PCI address DOMAIN:BUS:DEVICE.FUNCTION", node);
      std::memcpy(at, &*id, sizeof(*id));
      return {};
    }
    case Type::structure:
    case Type::native:
      break;
  }
  return expected("a value", node);
}

}  // namespace nvmlkit::sim::config
