#include "ptx/llvm/access_form.hpp"

#include "ptx/compile/image.hpp"
#include "ptx/llvm/known_word.hpp"

namespace nvmlkit::ptx::jit {
namespace {

bool has_known_words(const Instruction& i, const Meaning& meaning) {
  if (meaning.op == Op::ld_ || meaning.op == Op::st_)
    return meaning.is_only({Word::vector, Word::ordered, Word::system}) && (!i.flag || i.count == 1);
  return meaning.change != Change::none && meaning.is_only({Word::ordered, Word::system}) && i.count == 1;
}

}  // namespace

MemoryAccess settled(MemoryAccess access, const Shape& base) {
  constexpr std::uint64_t kWindow = std::uint64_t{0xFF} << 56;
  if (access.of_image || !access.is_generic || !base.is_same() || !base.value || access.change != Change::none)
    return access;
  const auto window = (*base.value + access.offset) & kWindow;
  if (window == kLocalWindow) access.space = Space::local;
  if (window == kSharedWindow) access.space = Space::shared;
  if (access.space != Space::global) access.offset -= window;
  return access;
}

Shape shape_loaded(const MemoryAccess& access, const Shape& address) {
  const bool is_of_lane = access.space == Space::local || access.space == Space::param;
  return access.loads && !is_of_lane && address.is_same() ? Shape::same() : Shape::any();
}

std::vector<Operand> targets_of(const MemoryAccess& access) {
  if (access.change != Change::none) return {access.before};
  return access.loads ? access.values : std::vector<Operand>{};
}

bool is_assumed_param(const MemoryAccess& access) {
  return access.space == Space::kernel_param && access.element_size() == 4 && access.register_size == 4 &&
         access.type != Type::f32 && access.values.size() == 1;
}

std::optional<MemoryAccess> memory_access(const Function& function, const Needs& needs, std::uint32_t at) {
  const auto& i = function.code[at];
  const auto& meaning = function.meanings[at];
  const bool loads = meaning.op == Op::ld_, changes = meaning.op == Op::atom_ || meaning.op == Op::red_;
  const bool has_guard = i.kind == Kind::guarded;
  if ((i.kind != Kind::plain && !has_guard) || (!loads && !changes && meaning.op != Op::st_)) return std::nullopt;
  if (!has_known_words(i, meaning)) return std::nullopt;
  MemoryAccess out;
  out.loads = loads;
  out.change = meaning.change;
  out.of_system = meaning.has(Word::system);
  out.space = i.space;
  out.is_generic = i.space == Space::generic;
  if (i.space == Space::generic || i.space == Space::constant) out.space = Space::global;
  const bool is_inside = i.immediate <= function.frame_param_bytes;
  if (out.space == Space::param && (changes || i.a.is_there() || !is_inside)) return std::nullopt;
  if (out.space == Space::local && changes) return std::nullopt;
  if (i.local_base && out.space != Space::local) return std::nullopt;
  if (out.space == Space::kernel_param && (!loads || i.a.is_there())) return std::nullopt;
  out.type = meaning.types[0];
  if (changes && (!is_number(out.type) || size_of(out.type) < 4)) return std::nullopt;
  if (changes) out.before = i.d;
  if (out.change == Change::compare_exchange) out.wanted = i.c;
  out.is_ordered = !changes && i.flag;
  out.base = i.a;
  out.wide_address = i.wide_address;
  out.offset = i.immediate;
  // The first frame begins at 0.
  out.of_frame = i.local_base && !function.is_entry;
  out.of_image = is_of_image(function, at);
  if (out.of_image) out.offset -= function.image_address;
  if (i.count > 1)
    out.values.assign(function.operands.begin() + i.side, function.operands.begin() + i.side + i.count);
  else
    out.values.push_back(loads ? i.d : i.b);
  const auto element = size_of(out.type);
  if (element == 0 || element > 8 || out.size() > 32) return std::nullopt;
  if (out.space == Space::param && out.offset + out.size() > function.frame_param_bytes) return std::nullopt;
  out.register_size = static_cast<std::uint8_t>(element);
  for (const auto value : out.values)
    for (const auto& a : needs.accesses(at))
      if (value.area() == Operand::registers && a.offset == value.offset() && a.writes == loads)
        out.register_size = a.size;
  if (out.register_size > 8 || out.register_size < element) return std::nullopt;
  return out;
}

std::optional<LaneCopy> lane_copy(const Function& function, std::uint32_t at) {
  const auto& i = function.code[at];
  if (!i.is_lane_copy) return std::nullopt;
  const auto* const addresses = function.operands.data() + i.side;
  MemoryAccess words;
  words.type = Type::b32;
  words.register_size = 4;
  words.values.resize(i.count / 4u);
  LaneCopy out{words, words, i.c};
  if (const auto known = known_word(function, i.c); known && *known >= i.count) out.bytes = {};
  out.from.loads = true;
  out.from.base = addresses[1];
  out.from.offset = static_cast<std::uint64_t>(static_cast<std::int32_t>(i.immediate >> 32));
  out.to.space = Space::shared;
  out.to.base = addresses[0];
  out.to.wide_address = i.wide_address;
  out.to.offset = i.immediate & 0xFFFFFFFF;
  return out;
}

}  // namespace nvmlkit::ptx::jit
