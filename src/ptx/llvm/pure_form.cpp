// Which instructions are pure, and their operands.
#include <utility>

#include "ptx/compile/image.hpp"
#include "ptx/llvm/directed.hpp"
#include "ptx/llvm/float_pairs.hpp"
#include "ptx/llvm/floats.hpp"
#include "ptx/llvm/halves.hpp"
#include "ptx/llvm/known_word.hpp"

namespace nvmlkit::ptx::jit {
namespace {

class Reader {
 public:
  Reader(const Function& function, std::uint32_t at)
      : function_(function),
        i_(function.code[at]),
        meaning_(function.meanings[at]),
        is_of_image_(is_of_image(function, at)) {}

  std::optional<Pure> read() {
    out_.type = meaning_.types[0];
    if (i_.count != 1 && out_.type != Type::pred) return std::nullopt;
    const auto size = static_cast<std::uint8_t>(size_of(out_.type));
    if (meaning_.op == Op::setp_) return comparison();
    if (out_.type == Type::pred) return of_predicates();
    if (size != 2 && size != 4 && size != 8) return std::nullopt;
    if (!is_number(out_.type)) return std::nullopt;
    if (meaning_.op == Op::prmt_ || meaning_.op == Op::bfi_ || meaning_.op == Op::bfe_) return of_fields(size);
    if (meaning_.op == Op::popc_ || meaning_.op == Op::clz_ || meaning_.op == Op::bfind_) return of_counts(size);
    if (meaning_.op == Op::dp4a_ || meaning_.op == Op::dp2a_) return of_dot();
    const auto rule = is_float(out_.type) ? of_floats() : of_integers();
    if (!rule) return std::nullopt;
    out_.rule = *rule;
    out_.flushes = meaning_.has(Word::ftz);
    out_.saturates = meaning_.has(Word::sat);
    if (meaning_.has(Word::not_nearest)) out_.rounding = meaning_.rounding;
    const bool wide = out_.rule == Rule::mul_wide || out_.rule == Rule::mad_wide;
    const auto whole = static_cast<std::uint8_t>(wide ? 2 * size : size);
    if (out_.rule == Rule::logic3) out_.number = i_.immediate;
    if (out_.rule == Rule::funnel)
      out_.number = (meaning_.has(Word::left) ? 1 : 0) | (meaning_.has(Word::wraps) ? 2 : 0);
    if (out_.rule == Rule::window && !i_.flag) out_.number = i_.immediate;
    if (out_.rule == Rule::number) {
      out_.number = i_.immediate;
      out_.of_frame = i_.local_base && !function_.is_entry;  // the first one begins at 0
      out_.of_image = is_of_image_;
      if (is_of_image_) out_.number -= function_.image_address;
    } else {
      take(i_.a, size);
      const bool shifts = out_.rule == Rule::shift_left || out_.rule == Rule::shift_right;
      if (i_.b.is_there()) take(i_.b, shifts ? std::uint8_t{4} : size);
      if (i_.c.is_there()) {
        if (out_.rule == Rule::select)
          out_.arguments.push_back({i_.c, 0, i_.flag});
        else
          take(i_.c, whole);
      }
    }
    return with_target(whole);
  }

 private:
  void take(Operand operand, std::uint8_t size) { out_.arguments.push_back({operand, size}); }

  std::optional<Pure> with_target(std::uint8_t size) {
    if (!i_.d.is_there()) return std::nullopt;
    out_.d = Key{i_.d.offset(), size};
    return out_;
  }

  std::optional<Rule> of_integers() const {
    const bool plain = meaning_.words == 0;
    switch (meaning_.op) {
      case Op::mov_:
        if (i_.a.is_there()) return Rule::copy;
        return i_.flag ? std::nullopt : std::optional(Rule::number);
      case Op::cvta_:
        if (!plain) return std::nullopt;
        if (!i_.a.is_there()) return Rule::number;
        return i_.immediate == 0 ? Rule::copy : Rule::window;
      case Op::add_:
        return plain ? std::optional(Rule::add) : std::nullopt;
      case Op::sub_:
        return plain ? std::optional(Rule::sub) : std::nullopt;
      case Op::mul_:
        return product(Rule::mul, Rule::mul_wide);
      case Op::mad_:
        return product(Rule::mad, Rule::mad_wide);
      case Op::div_:
        return plain ? std::optional(Rule::divide) : std::nullopt;
      case Op::rem_:
        return plain ? std::optional(Rule::remainder) : std::nullopt;
      case Op::min_:
        return plain ? std::optional(Rule::least) : std::nullopt;
      case Op::max_:
        return plain ? std::optional(Rule::greatest) : std::nullopt;
      case Op::shf_:
        return meaning_.is_only({Word::left, Word::wraps}) ? std::optional(Rule::funnel) : std::nullopt;
      default:
        return plain ? of_bits() : std::nullopt;
    }
  }

  std::optional<Rule> product(Rule low, Rule wide) const {
    if (meaning_.words == 0) return low;
    const auto size = size_of(out_.type);
    if (meaning_.is_only({Word::wide}) && size <= 4) return wide;
    return meaning_.is_only({Word::hi}) && size >= 4 ? std::optional(Rule::high) : std::nullopt;
  }

  std::optional<Rule> of_bits() const {
    constexpr std::pair<Op, Rule> kRules[] = {
        {Op::and_, Rule::bit_and},         {Op::or_, Rule::bit_or},           {Op::xor_, Rule::bit_xor},
        {Op::not_, Rule::bit_not},         {Op::shl_, Rule::shift_left},      {Op::shr_, Rule::shift_right},
        {Op::selp_, Rule::select},         {Op::brev_, Rule::reverse},        {Op::sad_, Rule::with_difference},
        {Op::mul24_, Rule::product_of_24}, {Op::mad24_, Rule::product_of_24}, {Op::bmsk_, Rule::field},
    };
    for (const auto& [op, rule] : kRules)
      if (op == meaning_.op) return rule;
    switch (meaning_.op) {
      case Op::lop3_:
        return i_.immediate < 256 && size_of(out_.type) == 4 ? std::optional(Rule::logic3) : std::nullopt;
      case Op::neg_:
        return is_signed(out_.type) ? std::optional(Rule::negate) : std::nullopt;
      case Op::abs_:
        return is_signed(out_.type) ? std::optional(Rule::absolute) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

  std::optional<Rule> of_floats() const {
    if (size_of(out_.type) < 4 || meaning_.types[1] != Type::none) return std::nullopt;
    if (!meaning_.is_only({Word::ftz, Word::sat, Word::not_nearest})) return std::nullopt;
    const bool is_directed = meaning_.has(Word::not_nearest);
    if (is_directed && (out_.type != Type::f32 || !may_be_directed(meaning_.op))) return std::nullopt;
    if (meaning_.has(Word::ftz) && !may_flush(meaning_.op, out_.type)) return std::nullopt;
    if (meaning_.has(Word::sat) && (out_.type != Type::f32 || !may_saturate())) return std::nullopt;
    switch (meaning_.op) {
      case Op::ex2_:
        return out_.type == Type::f32 ? std::optional(Rule::power_of_two) : std::nullopt;
      case Op::sin_:
        return out_.type == Type::f32 ? std::optional(Rule::sine) : std::nullopt;
      case Op::cos_:
        return out_.type == Type::f32 ? std::optional(Rule::cosine) : std::nullopt;
      case Op::lg2_:
        return out_.type == Type::f32 ? std::optional(Rule::logarithm) : std::nullopt;
      case Op::tanh_:
        return out_.type == Type::f32 ? std::optional(Rule::hyperbolic_tangent) : std::nullopt;
      case Op::mov_:
        return i_.a.is_there() ? std::optional(Rule::copy) : std::nullopt;
      case Op::add_:
        return Rule::add;
      case Op::sub_:
        return Rule::sub;
      case Op::mul_:
        return Rule::mul;
      case Op::mad_:
      case Op::fma_:
        return Rule::fused;
      case Op::div_:
        return Rule::divide;
      case Op::neg_:
        return Rule::negate;
      case Op::abs_:
        return Rule::absolute;
      case Op::selp_:
        return Rule::select;
      case Op::min_:
        return i_.c.is_there() ? std::nullopt : std::optional(Rule::least);
      case Op::max_:
        return i_.c.is_there() ? std::nullopt : std::optional(Rule::greatest);
      case Op::copysign_:
        return Rule::with_sign;
      case Op::rcp_:
        return Rule::reciprocal;
      case Op::sqrt_:
        return Rule::root;
      case Op::rsqrt_:
        return Rule::reciprocal_root;
      default:
        return std::nullopt;
    }
  }

  bool may_saturate() const {
    return meaning_.op == Op::add_ || meaning_.op == Op::sub_ || meaning_.op == Op::mul_ || meaning_.op == Op::mad_ ||
           meaning_.op == Op::fma_;
  }

  // Bytes and fields.
  std::optional<Pure> of_fields(std::uint8_t size) {
    if (meaning_.words != 0 || is_float(out_.type) || size < 4) return std::nullopt;
    const bool permutes = meaning_.op == Op::prmt_, inserts = meaning_.op == Op::bfi_;
    const auto start = known_word(function_, permutes || inserts ? i_.c : i_.b);
    const auto length = known_word(function_, inserts ? i_.d2 : i_.c);
    if (permutes && size != 4) return std::nullopt;
    take(i_.a, size);
    if (permutes || inserts) take(i_.b, size);
    if (permutes && !start) {
      out_.rule = Rule::permute_by;
      take(i_.c, size);
    } else if (start && (length || permutes)) {
      out_.rule = permutes ? Rule::permute : inserts ? Rule::insert : Rule::extract;
      out_.number = permutes ? *start : (*start & 0xFF) | (*length & 0xFF) << 8;
    } else {
      out_.rule = inserts ? Rule::insert_by : Rule::extract_by;
      take(inserts ? i_.c : i_.b, 4);
      take(inserts ? i_.d2 : i_.c, 4);
    }
    return with_target(size);
  }

  // Bits are counted in 32 bits.
  std::optional<Pure> of_counts(std::uint8_t size) {
    const bool finds = meaning_.op == Op::bfind_;
    if (size < 4 || (finds ? !meaning_.is_only({Word::as_distance}) : meaning_.words != 0)) return std::nullopt;
    out_.rule = finds ? Rule::highest_bit : meaning_.op == Op::popc_ ? Rule::count_ones : Rule::leading_zeros;
    out_.number = meaning_.has(Word::as_distance) ? 1 : 0;
    take(i_.a, size);
    return with_target(4);
  }

  std::optional<Pure> of_dot() {
    if (!meaning_.is_only({Word::hi})) return std::nullopt;
    out_.rule = Rule::dot;
    out_.number = (is_signed(out_.type) ? Dot::kSignedA : 0) | (is_signed(meaning_.types[1]) ? Dot::kSignedB : 0) |
                  (meaning_.has(Word::hi) ? Dot::kUpperBytes : 0) | (meaning_.op == Op::dp2a_ ? Dot::kWords : 0);
    for (const auto operand : {i_.a, i_.b, i_.c}) take(operand, 4);
    return with_target(4);
  }

  std::optional<Pure> comparison() {
    if (meaning_.types[1] != Type::none || meaning_.relation == Relation::none || !is_number(out_.type))
      return std::nullopt;
    Meaning rest = meaning_;
    if (i_.c.is_there()) rest.words = 0;  // the word of the combination
    if (!rest.is_only({Word::ftz})) return std::nullopt;
    const auto size = static_cast<std::uint8_t>(size_of(out_.type));
    out_.rule = Rule::compare;
    out_.relation = meaning_.relation;
    out_.flushes = meaning_.has(Word::ftz);
    if (out_.flushes && out_.type != Type::f32) return std::nullopt;
    take(i_.a, size);
    take(i_.b, size);
    if (i_.c.is_there()) {
      out_.combined = static_cast<char>(i_.detail);
      out_.arguments.push_back({i_.c, 0, i_.flag});
    }
    if (i_.d.is_there()) out_.d = Key{i_.d.offset(), 0};
    if (i_.d2.is_there()) out_.d2 = Key{i_.d2.offset(), 0};
    return out_;
  }

  std::optional<Pure> of_predicates() {
    if (meaning_.words != 0) return std::nullopt;
    if (i_.a.area() == Operand::special || !i_.a.is_there()) return std::nullopt;
    out_.arguments.push_back({i_.a, 0, i_.flag});
    switch (meaning_.op) {
      case Op::mov_:
        out_.rule = Rule::copy;
        return with_target(0);
      case Op::not_:
        out_.rule = Rule::bit_not;
        return with_target(0);
      case Op::and_:
      case Op::or_:
      case Op::xor_:
        out_.rule = meaning_.op == Op::and_ ? Rule::bit_and : meaning_.op == Op::or_ ? Rule::bit_or : Rule::bit_xor;
        out_.arguments.push_back({i_.b, 0, i_.count == 2});
        return with_target(0);
      default:
        return std::nullopt;
    }
  }

  const Function& function_;
  const Instruction& i_;
  const Meaning& meaning_;
  const bool is_of_image_;
  Pure out_;
};

}  // namespace

std::optional<Pure> pure_form(const Function& function, const Needs& needs, std::uint32_t at) {
  if (function.code[at].kind != Kind::plain && function.code[at].kind != Kind::guarded) return std::nullopt;
  if (function.meanings[at].op == Op::cvt_) return conversion_form(function, needs, at);
  if (function.meanings[at].op == Op::set_) return set_form(function, at);
  if (is_half(function.meanings[at].types[0])) return half_form(function, at);
  if (function.meanings[at].types[0] == Type::f32x2) return float_pair_form(function, at);
  return Reader(function, at).read();
}

}  // namespace nvmlkit::ptx::jit
