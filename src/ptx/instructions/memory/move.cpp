// mov and conversions of addresses.
#include <chrono>
#include <cstring>

#include "ptx/decode/form.hpp"
#include "ptx/decode/variants.hpp"
#include "ptx/run/lanes.hpp"

namespace nvmlkit::ptx {
namespace {

__extension__ using Bits128 = unsigned __int128;

template <class T>
void copy(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const a = w.at<T>(i.a);
  set_lanes(w.at<T>(i.d), lanes, [=](unsigned l) { return a[l]; });
}

void copy_predicate(Warp& w, const Instruction& i, Mask lanes) {
  w.set_predicate(i.d, lanes, i.flag ? ~w.predicate(i.a) : w.predicate(i.a));
}

// The address of a symbol, with the place of the frame for a local one.
template <class T>
void address_of(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<T>(i.d);
  const auto value = static_cast<T>(i.immediate + (i.local_base ? w.frame().local_start : 0));
  each_lane(lanes, [=](unsigned l) { d[l] = value; });
}

// The value of a register of time, the same for all lanes.
template <class T>
void time(Warp& w, const Instruction& i, Mask lanes) {
  const auto now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  auto* const d = w.at<T>(i.d);
  const auto value = static_cast<T>(static_cast<std::uint64_t>(now) >> i.detail);
  each_lane(lanes, [=](unsigned l) { d[l] = value; });
}

// A register into parts, or parts into a register. `detail` is the width of a part.
void unpack(Warp& w, const Instruction& i, Mask lanes) {
  const auto whole = i.detail * std::size_t{i.count};
  const auto* const a = w.at<std::byte>(i.a);
  for (unsigned k = 0; k < i.count; ++k) {
    const auto target = w.frame().function->operands[i.side + k];
    if (!target.is_there()) continue;
    auto* const d = w.at<std::byte>(target);
    for (unsigned l = 0; l < kLanes; ++l)
      if (lanes >> l & 1) std::memcpy(d + l * i.detail, a + l * whole + k * i.detail, i.detail);
  }
}

void pack(Warp& w, const Instruction& i, Mask lanes) {
  const auto whole = i.detail * std::size_t{i.count};
  auto* const d = w.at<std::byte>(i.d);
  for (unsigned k = 0; k < i.count; ++k) {
    const auto* const a = w.at<std::byte>(w.frame().function->operands[i.side + k]);
    for (unsigned l = 0; l < kLanes; ++l)
      if (lanes >> l & 1) std::memcpy(d + l * whole + k * i.detail, a + l * i.detail, i.detail);
  }
}

bool is_time(std::string_view name) {
  return name == "%clock" || name == "%clock_hi" || name == "%clock64" || name.starts_with("%globaltimer");
}

Type bits_of(unsigned size) { return size == 1 ? Type::b8 : size == 2 ? Type::b16 : size == 4 ? Type::b32 : Type::b64; }

std::uint64_t window_of(Space space) {
  switch (space) {
    case Space::shared:
      return kSharedWindow;
    case Space::local:
      return kLocalWindow;
    case Space::param:
    case Space::kernel_param:
      return kParamWindow;
    default:
      return 0;
  }
}

template <class T>
void add_window(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<std::uint64_t>(i.d);
  const auto* const a = w.at<T>(i.a);
  each_lane(lanes, [&](unsigned l) { d[l] = i.flag ? a[l] & ~(std::uint64_t{0xFF} << 56) : a[l] | i.immediate; });
}

void is_in_window(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const a = w.at<std::uint64_t>(i.a);
  // `flag`: what mapa gave counts as well.
  const auto window = ~std::uint64_t{0} << (i.flag || i.immediate != kSharedWindow ? 56 : 24);
  w.set_predicate(i.d, lanes, gather([&](unsigned l) { return (a[l] & window) == i.immediate && a[l] != 0; }));
}

}  // namespace

namespace decoders {

void move(Form& f) {
  const auto type = f.type();
  const auto& to = f.term(0);
  const auto& from = f.term(1);
  if (type == Type::pred) {
    f.out.d = f.target(0, type);
    f.out.a = from.kind == Term::Kind::special ? f.source(from, Type::b32) : f.predicate(from);
    f.out.flag = from.negated;
    f.out.handler = &copy_predicate;
    return;
  }
  const bool unpacks = to.kind == Term::Kind::vector;
  if (unpacks || from.kind == Term::Kind::vector) {
    const auto& parts = unpacks ? to.items : from.items;
    if (parts.empty() || size_of(type) % parts.size() != 0) f.fail("parts that do not make a whole");
    const auto part = static_cast<unsigned>(size_of(type) / parts.size());
    std::vector<Operand> operands;
    for (const auto& p : parts) operands.push_back(unpacks ? f.target(p, bits_of(part)) : f.source(p, bits_of(part)));
    f.list(std::move(operands));
    f.out.detail = static_cast<std::uint8_t>(part);
    if (unpacks)
      f.out.a = f.source(1, type);
    else
      f.out.d = f.target(0, type);
    f.out.handler = unpacks ? &unpack : &pack;
    return;
  }
  f.out.d = f.target(0, type);
  const auto size = size_of(type);
  if (from.kind == Term::Kind::special && is_time(from.name)) {
    f.out.detail = from.name.ends_with("_hi") ? 32 : 0;
    f.out.flag = true;  // no address of a symbol
    f.out.handler = size == 4 ? &time<std::uint32_t> : &time<std::uint64_t>;
  } else if (from.kind == Term::Kind::symbol) {
    if (size < 4) f.fail_types();
    f.symbol_address(from);
    f.out.handler = size == 4 ? &address_of<std::uint32_t> : &address_of<std::uint64_t>;
  } else {
    f.out.a = f.source(1, type);
    f.out.handler = size == 2   ? &copy<std::uint16_t>
                    : size == 4 ? best<&copy<std::uint32_t>>()
                    : size == 8 ? best<&copy<std::uint64_t>>()
                                : &copy<Bits128>;
  }
}

void convert_address(Form& f) {
  const auto space = f.space();
  if (space == Space::generic) f.fail("which space?");
  if (f.op() == Op::isspacep_) {
    f.out.d = f.target(0, Type::pred);
    f.out.a = f.source(1, Type::u64);
    f.out.immediate = window_of(space);
    f.out.flag = f.has("shared::cluster");
    f.out.handler = &is_in_window;
    return;
  }
  if (f.type() != Type::u64) f.fail("only 64-bit addresses are simulated");
  f.out.d = f.target(0, Type::u64);
  const auto& from = f.term(1);
  if (from.kind == Term::Kind::symbol) {
    f.symbol_address(from);
    f.out.immediate += f.has("to") ? 0 : window_of(space);
    f.out.handler = &address_of<std::uint64_t>;
    return;
  }
  f.out.a = f.source(1, Type::u64);
  f.out.immediate = window_of(space);
  f.out.flag = f.has("to") && f.out.immediate != 0;
  f.out.handler = &add_window<std::uint64_t>;
}

// What a simulated memory and a simulated clock need not do.
void no_effect(Form& f) {
  f.out.is_idle = true;
  f.out.handler = [](Warp&, const Instruction&, Mask) {};
}

// A policy of caches: any number will do.
void policies(Form& f) {
  f.out.d = f.target(0, Type::b64);
  f.out.a = f.constant(0, 8);
  f.out.handler = &copy<std::uint64_t>;
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
