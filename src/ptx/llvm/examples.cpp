#include "ptx/llvm/examples.hpp"

#include <algorithm>
#include <utility>

#include "ptx/llvm/halves.hpp"

namespace nvmlkit::ptx::jit {
namespace {

class Example {
 public:
  Example(const Pure& pure, std::vector<std::uint64_t> values) : p_(pure), v_(std::move(values)) {}

  std::optional<std::uint64_t> result() const {
    if (p_.rule == Rule::compare) return comparison();
    const auto out = whole();
    return out ? std::optional(cut(*out, p_.d->size)) : std::nullopt;
  }

 private:
  // In the operand's type.
  std::uint64_t wide(std::size_t k) const {
    const auto size = size_of(p_.rule == Rule::convert ? p_.from : p_.type);
    const bool has_sign = is_signed(p_.rule == Rule::convert ? p_.from : p_.type);
    return has_sign ? static_cast<std::uint64_t>(truncated(v_[k], size)) : cut(v_[k], size);
  }

  // Of signed numbers: those that compare as they do without a sign.
  std::uint64_t ordered(std::size_t k) const { return is_signed(p_.type) ? wide(k) ^ std::uint64_t{1} << 63 : wide(k); }

  std::optional<std::uint64_t> whole() const {
    switch (p_.rule) {
      case Rule::copy:
        return v_[0];
      case Rule::number:
        return p_.of_frame || p_.of_image ? std::nullopt : std::optional(p_.number);
      case Rule::add:
        return v_[0] + v_[1];
      case Rule::sub:
        return v_[0] - v_[1];
      case Rule::mul:
        return v_[0] * v_[1];
      case Rule::mad:
        return v_[0] * v_[1] + v_[2];
      case Rule::mul_wide:
        return wide(0) * wide(1);
      case Rule::mad_wide:
        return wide(0) * wide(1) + v_[2];
      case Rule::convert:
        return is_float(p_.from) || p_.saturates || size_of(p_.type) < p_.d->size ? std::nullopt
                                                                                  : std::optional(wide(0));
      default:
        return of_bits();
    }
  }

  std::optional<std::uint64_t> of_bits() const {
    const std::uint64_t width = 8 * size_of(p_.type);
    switch (p_.rule) {
      case Rule::bit_and:
        return v_[0] & v_[1];
      case Rule::bit_or:
        return v_[0] | v_[1];
      case Rule::bit_xor:
        return v_[0] ^ v_[1];
      case Rule::bit_not:
        return p_.d->size == 0 ? v_[0] ^ 1 : ~v_[0];
      case Rule::negate:
        return -v_[0];
      case Rule::shift_left:
        return v_[1] < width ? v_[0] << v_[1] : 0;
      case Rule::shift_right:
        if (is_signed(p_.type))
          return static_cast<std::uint64_t>(static_cast<std::int64_t>(wide(0)) >> std::min(v_[1], width - 1));
        return v_[1] < width ? wide(0) >> v_[1] : 0;
      case Rule::select:
        return v_[2] ? v_[0] : v_[1];
      case Rule::least:
        return ordered(0) <= ordered(1) ? v_[0] : v_[1];
      case Rule::greatest:
        return ordered(0) >= ordered(1) ? v_[0] : v_[1];
      default:
        return std::nullopt;
    }
  }

  std::optional<std::uint64_t> comparison() const {
    const auto x = ordered(0), y = ordered(1);
    bool out = false;
    switch (p_.relation) {
      case Relation::eq:
        out = x == y;
        break;
      case Relation::ne:
        out = x != y;
        break;
      case Relation::lt:
        out = x < y;
        break;
      case Relation::le:
        out = x <= y;
        break;
      case Relation::gt:
        out = x > y;
        break;
      case Relation::ge:
        out = x >= y;
        break;
      default:
        return std::nullopt;
    }
    if (!p_.combined) return out;
    const bool other = v_.back() != 0;
    return p_.combined == '&' ? out && other : p_.combined == '|' ? out || other : out != other;
  }

  const Pure& p_;
  const std::vector<std::uint64_t> v_;
};

}  // namespace

std::optional<std::uint64_t> example_of(const Pure& pure, const std::vector<Shape>& arguments) {
  if (!pure.d || is_of_floats(pure.type)) return std::nullopt;
  std::vector<std::uint64_t> values;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const auto& known = arguments[k].value ? arguments[k].value : arguments[k].example;
    if (arguments[k].is_any || !known) return std::nullopt;
    values.push_back(*known ^ (pure.arguments[k].negated ? 1 : 0));
  }
  return Example(pure, std::move(values)).result();
}

}  // namespace nvmlkit::ptx::jit
