#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "sim/model/value.hpp"
#include "sim/problem/names.hpp"
#include "sim/text/numbers.hpp"
#include "sim/text/scalar.hpp"

namespace nvmlkit::sim::text {
namespace {

using model::FieldDescriptor;
using model::Type;

detail::unexpected<Problem> expected(Prose what, const Token& token) {
  return fail(wrong_value(std::move(what), quote(token.text)));
}

// What a field takes, for messages.
const char* kind_of_value(const FieldDescriptor& field) {
  if (field.word_count > 0) return "a word";
  switch (field.type) {
    case Type::boolean:
      return "true or false";
    case Type::f64:
      return "a number";
    case Type::string:
    case Type::uuid:
      return "a text";
    case Type::pci_bus_id:
      return "a PCI address DOMAIN:BUS:DEVICE.FUNCTION";
    case Type::enumeration:
    case Type::structure:
    case Type::native:
      return "a value";
    default:
      return "a whole number";
  }
}

std::string range_text(const FieldDescriptor& field) {
  std::string out = std::to_string(field.min);
  out.append(" to ").append(std::to_string(field.max));
  if (!field.unit().empty()) out.append(" ").append(field.unit());
  return out;
}

// A type of whole numbers.
struct Width {
  unsigned bytes;
  bool with_sign;

  std::uint64_t highest() const { return UINT64_MAX >> (64 - 8 * bytes + (with_sign ? 1 : 0)); }
  std::uint64_t lowest() const { return with_sign ? highest() + 1 : 0; }  // its magnitude
  std::string text() const {
    return (with_sign ? "-" : "") + std::to_string(lowest()) + " to " + std::to_string(highest());
  }
};

Width width_of(Type type) {
  switch (type) {
    case Type::i32:
      return {4, true};
    case Type::i64:
      return {8, true};
    case Type::u32:
    case Type::hex32:
      return {4, false};
    default:
      return {8, false};
  }
}

Expected<void> read_integer(const Token& token, const FieldDescriptor& field, std::byte* at) {
  const auto value = token.plain || field.quoted ? parse_integer(token.text) : std::nullopt;
  if (!value) return expected(kind_of_value(field), token);
  const auto width = width_of(field.type);
  const bool fits = value->magnitude <= (value->negative ? width.lowest() : width.highest());
  if (!fits && !field.ranged) return expected(width.text(), token);
  const std::uint64_t bits = value->negative ? 0 - value->magnitude : value->magnitude;
  // Ranges lie within int64, so a value above its maximum as unsigned is above every range.
  const bool in_int64 = value->negative || value->magnitude <= static_cast<std::uint64_t>(INT64_MAX);
  if (field.ranged && (!fits || !in_int64 || static_cast<std::int64_t>(bits) < field.min ||
                       static_cast<std::int64_t>(bits) > field.max))
    return expected(range_text(field), token);
  static_assert(std::endian::native == std::endian::little, "a number of any width is in the low bytes");
  std::memcpy(at, &bits, width.bytes);
  return {};
}

Expected<void> read_float(const Token& token, const FieldDescriptor& field, std::byte* at) {
  const auto number = token.plain ? number_of<double>(token.text) : std::nullopt;
  if (!number || !std::isfinite(*number)) return expected(kind_of_value(field), token);
  const double value = *number;
  if (field.ranged && (value < static_cast<double>(field.min) || value > static_cast<double>(field.max)))
    return expected(range_text(field), token);
  std::memcpy(at, &value, sizeof(value));
  return {};
}

std::vector<std::string_view> words_of(const FieldDescriptor& field) {
  std::vector<std::string_view> out;
  for (const auto& word : field.words()) out.push_back(word.word());
  return out;
}

Expected<void> read_word(const Token& token, const FieldDescriptor& field, std::byte* at) {
  for (const auto& word : field.words()) {
    if (word.word() != token.text) continue;
    if (field.type == Type::enumeration)
      std::memcpy(at, &word.value, sizeof(word.value));
    else
      model::store_text(at, field.capacity, token.text);
    return {};
  }
  return fail(unknown_name("word", token.text, words_of(field)));
}

Expected<void> read_text(const Token& token, const FieldDescriptor& field, std::byte* at) {
  const std::string_view t = token.text;
  if (field.type == Type::uuid && !is_gpu_uuid(t))
    return expected("GPU- and 32 hexadecimal digits in groups of 8-4-4-4-12", token);
  if (t.size() >= field.capacity)
    return fail(wrong_value("at most " + std::to_string(field.capacity - 1) + " bytes", std::to_string(t.size())));
  for (const char c : t)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return expected("a text without control characters", token);
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
  const auto magnitude = number_of<std::uint64_t>(text, base);
  if (!magnitude) return std::nullopt;
  out.magnitude = *magnitude;
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

Expected<void> parse_scalar(const Token& token, const FieldDescriptor& field, std::byte* at) {
  switch (field.type) {
    case Type::boolean: {
      const auto value = token.plain ? parse_bool(token.text) : std::nullopt;
      if (!value) return expected(kind_of_value(field), token);
      std::memcpy(at, &*value, sizeof(bool));
      return {};
    }
    case Type::u32:
    case Type::u64:
    case Type::i32:
    case Type::i64:
    case Type::hex32:
    case Type::hex64:
      return read_integer(token, field, at);
    case Type::f64:
      return read_float(token, field, at);
    case Type::string:
      return field.word_count > 0 ? read_word(token, field, at) : read_text(token, field, at);
    case Type::uuid:
      return read_text(token, field, at);
    case Type::enumeration:
      return read_word(token, field, at);
    case Type::pci_bus_id: {
      const auto id = model::parse_pci_bus_id(token.text);
      if (!id) return expected(kind_of_value(field), token);
      std::memcpy(at, &*id, sizeof(*id));
      return {};
    }
    case Type::structure:
    case Type::native:
      break;
  }
  return expected(kind_of_value(field), token);
}

Problem not_a_scalar(const FieldDescriptor& field, std::string_view given) {
  auto problem = wrong_value(kind_of_value(field), given);
  if (field.word_count > 0) problem.hint = valid_names(words_of(field));
  return problem;
}

}  // namespace nvmlkit::sim::text
