#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "sim/generated/model_descriptors.hpp"
#include "sim/model/value.hpp"
#include "sim/text/numbers.hpp"
#include "sim/text/quoting.hpp"
#include "sim/text/scalar.hpp"

namespace nvmlkit::sim::text {
namespace {

using model::FieldDescriptor;
using model::Type;

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

template <class T, class... Form>
std::string digits(T value, Form... form) {
  std::array<char, 40> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value, form...).ptr};
}

std::string yaml_of_number(const FieldDescriptor& field, std::uint64_t number) {
  if (field.type == Type::enumeration) return "N/A";
  if (field.type == Type::hex32 || field.type == Type::hex64) return hex(number);
  return digits(number);
}

// The shortest decimal number that reads back as the same value, with an exponent outside of 0.0001 to 1e16.
std::string yaml_of_float(double number) {
  const double size = std::fabs(number);
  const bool small = size != 0 && size < 1e-4;
  return digits(number, small || size >= 1e16 ? std::chars_format::scientific : std::chars_format::fixed);
}

}  // namespace

std::string_view word_of(const FieldDescriptor& field, std::uint32_t number) {
  for (const auto& word : field.words())
    if (word.value == number) return word.word();
  return {};
}

Scalar scalar_at(const FieldDescriptor& field, const std::byte* at) {
  switch (field.type) {
    case Type::boolean:
      return load<bool>(at);
    case Type::u32:
    case Type::hex32:
      return std::uint64_t{load<std::uint32_t>(at)};
    case Type::u64:
    case Type::hex64:
      return load<std::uint64_t>(at);
    case Type::i32:
      return std::int64_t{load<std::int32_t>(at)};
    case Type::i64:
      return load<std::int64_t>(at);
    case Type::f64:
      return load<double>(at);
    case Type::string:
    case Type::uuid:
      return model::load_text(at, field.capacity);
    case Type::pci_bus_id:
      return load<model::PciBusId>(at);
    case Type::enumeration: {
      const auto number = load<std::uint32_t>(at);
      const auto word = word_of(field, number);
      return word.empty() ? Scalar(std::uint64_t{number}) : Scalar(word);
    }
    case Type::structure:
    case Type::native:
      break;
  }
  return std::uint64_t{0};  // no scalar
}

std::string yaml_of(const FieldDescriptor& field, const Scalar& scalar) {
  return std::visit(
      [&](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, bool>) {
          return value ? "true" : "false";
        } else if constexpr (std::is_same_v<T, std::uint64_t>) {
          return yaml_of_number(field, value);
        } else if constexpr (std::is_same_v<T, std::int64_t>) {
          return digits(value);
        } else if constexpr (std::is_same_v<T, double>) {
          return yaml_of_float(value);
        } else if constexpr (std::is_same_v<T, model::PciBusId>) {
          char text[24];
          return quoted(model::format_pci_bus_id(value, 4, text));
        } else {
          return field.type == Type::enumeration ? std::string(value) : quoted(value);
        }
      },
      scalar);
}

}  // namespace nvmlkit::sim::text
