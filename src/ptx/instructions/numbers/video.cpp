// Video instructions: an operation on whole words, and another one with the third operand; or one on each half or byte
// of words, whose results may be added up.
#include <algorithm>

#include "ptx/decode/form.hpp"
#include "ptx/run/lanes.hpp"

namespace nvmlkit::ptx {
namespace {

// By `detail`.
constexpr std::uint8_t kSignedA = 1, kSignedB = 2, kSignedResult = 4, kWraps = 8;

// Of vset; in an instruction's immediate, above what else stands there.
enum class VideoRelation : std::uint8_t { eq, ne, lt, le, gt, ge };
constexpr unsigned kRelationShift = 32;
VideoRelation relation_of(const Instruction& i) { return static_cast<VideoRelation>(i.immediate >> kRelationShift); }

bool holds(VideoRelation relation, std::int64_t a, std::int64_t b) {
  switch (relation) {
    case VideoRelation::eq:
      return a == b;
    case VideoRelation::ne:
      return a != b;
    case VideoRelation::lt:
      return a < b;
    case VideoRelation::le:
      return a <= b;
    case VideoRelation::gt:
      return a > b;
    default:
      return a >= b;
  }
}

std::int64_t operation(Op op, VideoRelation relation, std::int64_t a, std::int64_t b) {
  switch (op) {
    case Op::vset_:
    case Op::vset2_:
    case Op::vset4_:
      return holds(relation, a, b);
    case Op::vadd_:
    case Op::vadd2_:
    case Op::vadd4_:
      return a + b;
    case Op::vsub_:
    case Op::vsub2_:
    case Op::vsub4_:
      return a - b;
    case Op::vavrg2_:
    case Op::vavrg4_:
      return (a + b + (a + b >= 0)) >> 1;
    case Op::vabsdiff_:
    case Op::vabsdiff2_:
    case Op::vabsdiff4_:
      return a < b ? b - a : a - b;
    case Op::vshl_:
      return a * (std::int64_t{1} << b);
    case Op::vshr_:
      return a >> b;
    case Op::vmin_:
    case Op::vmin2_:
    case Op::vmin4_:
      return std::min(a, b);
    default:
      return std::max(a, b);
  }
}

std::int64_t wide(std::uint32_t value, bool is_signed_value) {
  return is_signed_value ? std::int64_t{static_cast<std::int32_t>(value)} : std::int64_t{value};
}

// The second operand; of a shift, by how many bits.
template <Op op>
std::int64_t second_of(std::uint32_t value, const Instruction& i) {
  if constexpr (op != Op::vshl_ && op != Op::vshr_) return wide(value, i.detail & kSignedB);
  return i.detail & kWraps ? value & 31 : std::min<std::uint32_t>(value, 32);
}

template <Op op>
void video_words(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const a = w.at<std::uint32_t>(i.a);
  const auto* const b = w.at<std::uint32_t>(i.b);
  auto* const d = w.at<std::uint32_t>(i.d);
  const bool is_signed_result = i.detail & kSignedResult;
  const char second = static_cast<char>(i.immediate);
  each_lane(lanes, [&](unsigned l) {
    auto result = operation(op, relation_of(i), wide(a[l], i.detail & kSignedA), second_of<op>(b[l], i));
    if (i.flag)  // .sat
      result = is_signed_result ? std::clamp<std::int64_t>(result, INT32_MIN, INT32_MAX)
                                : std::clamp<std::int64_t>(result, 0, UINT32_MAX);
    if (i.c.is_there()) {
      const auto once = wide(static_cast<std::uint32_t>(result), is_signed_result);
      const auto c = wide(w.at<std::uint32_t>(i.c)[l], is_signed_result);
      result = second == '+' ? once + c : second == '<' ? std::min(once, c) : std::max(once, c);
    }
    d[l] = static_cast<std::uint32_t>(result);
  });
}

// `count` parts of each word.
void video_parts(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const a = w.at<std::uint32_t>(i.a);
  const auto* const b = w.at<std::uint32_t>(i.b);
  const auto* const c = w.at<std::uint32_t>(i.c);
  auto* const d = w.at<std::uint32_t>(i.d);
  const unsigned bits = 32 / i.count;
  const auto limit = std::int64_t{1} << bits;
  const auto part = [=](std::uint32_t word, unsigned k, bool is_signed_part) {
    const auto value = static_cast<std::int64_t>(word >> k * bits) & (limit - 1);
    return is_signed_part && value >= limit / 2 ? value - limit : value;
  };
  const bool is_signed_result = i.detail & kSignedResult, adds = i.immediate & 1;
  const auto op = static_cast<Op>((i.immediate & UINT32_MAX) >> 1);
  const auto least = is_signed_result ? -limit / 2 : 0, most = is_signed_result ? limit / 2 - 1 : limit - 1;
  each_lane(lanes, [&](unsigned l) {
    std::uint32_t packed = 0;
    std::int64_t sum = c[l];
    for (unsigned k = 0; k < i.count; ++k) {
      auto result =
          operation(op, relation_of(i), part(a[l], k, i.detail & kSignedA), part(b[l], k, i.detail & kSignedB));
      if (i.flag) result = std::clamp(result, least, most);
      sum += result;
      packed |= static_cast<std::uint32_t>(result & (limit - 1)) << k * bits;
    }
    d[l] = adds ? static_cast<std::uint32_t>(sum) : packed;
  });
}

// The result and two words, and which of them have signs; that of a comparison has none, and is not named.
void read_words(Form& f) {
  static constexpr std::string_view kRelations[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  const auto types = f.types();
  const bool compares = f.op() == Op::vset_ || f.op() == Op::vset2_ || f.op() == Op::vset4_;
  if (types.size() != (compares ? 2 : 3)) f.fail_types();
  const auto a = types[types.size() - 2], b = types.back();
  f.out.detail = static_cast<std::uint8_t>((!compares && is_signed(types[0]) ? kSignedResult : 0) |
                                           (is_signed(a) ? kSignedA : 0) | (is_signed(b) ? kSignedB : 0));
  if (compares) {
    const auto at = std::find_if(std::begin(kRelations), std::end(kRelations), [&](auto word) { return f.has(word); });
    if (at == std::end(kRelations)) f.fail("expected what to compare for");
    f.out.immediate = static_cast<std::uint64_t>(at - std::begin(kRelations)) << kRelationShift;
  }
  const bool shifts = f.op() == Op::vshl_ || f.op() == Op::vshr_;
  if (shifts && (is_signed(b) || f.has("wrap") == f.has("clamp"))) f.fail("expected .u32, and .wrap or .clamp");
  if (f.has("wrap")) f.out.detail |= kWraps;
  f.out.flag = f.has("sat");
  f.out.d = f.target(0, Type::b32);
  f.out.a = f.source(1, Type::b32);
  f.out.b = f.source(2, Type::b32);
}

}  // namespace

namespace decoders {

void video_of_parts(Form& f) {
  read_words(f);
  f.out.c = f.source(3, Type::b32);
  f.out.immediate |= static_cast<std::uint64_t>(f.op()) << 1 | (f.has("add") ? 1 : 0);
  switch (f.op()) {
    case Op::vadd2_:
    case Op::vsub2_:
    case Op::vavrg2_:
    case Op::vabsdiff2_:
    case Op::vmin2_:
    case Op::vmax2_:
    case Op::vset2_:
      f.out.count = 2;
      break;
    default:
      f.out.count = 4;
  }
  f.out.handler = &video_parts;
}

void video(Form& f) {
  read_words(f);
  const auto second = f.one_of({"add", "min", "max"});
  if (second.empty() != (f.count() == 3)) f.fail("three operands, or four and what to do with the fourth");
  if (!second.empty()) f.out.c = f.source(3, Type::b32);
  f.out.immediate |= static_cast<std::uint64_t>(second == "add" ? '+' : second == "min" ? '<' : '>');
  switch (f.op()) {
    case Op::vadd_:
      f.out.handler = &video_words<Op::vadd_>;
      break;
    case Op::vsub_:
      f.out.handler = &video_words<Op::vsub_>;
      break;
    case Op::vabsdiff_:
      f.out.handler = &video_words<Op::vabsdiff_>;
      break;
    case Op::vmin_:
      f.out.handler = &video_words<Op::vmin_>;
      break;
    case Op::vshl_:
      f.out.handler = &video_words<Op::vshl_>;
      break;
    case Op::vshr_:
      f.out.handler = &video_words<Op::vshr_>;
      break;
    case Op::vset_:
      f.out.handler = &video_words<Op::vset_>;
      break;
    default:
      f.out.handler = &video_words<Op::vmax_>;
  }
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
