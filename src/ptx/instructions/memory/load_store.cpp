// ld, ldu, st.
#include <algorithm>
#include <cstring>

#include "ptx/decode/form.hpp"
#include "ptx/decode/variants.hpp"
#include "ptx/run/block.hpp"
#include "ptx/run/places.hpp"

namespace nvmlkit::ptx {
namespace {

template <class Mem>
void load_all(Pattern pattern, const std::byte* start, Mem* values, unsigned count) {
  if (pattern == Pattern::row) {
    std::memcpy(values, start, count * sizeof(Mem));
    return;
  }
  Mem value;
  std::memcpy(&value, start, sizeof value);
  std::fill_n(values, count, value);
}

template <class Mem, class Reg>
bool load_halves(Warp& w, const Instruction& i, Mask lanes, Reg* d) {
  LaneHalf halves[2];
  if (!halves_of(w, i, lanes, sizeof(Mem), halves)) return false;
  for (unsigned k = 0; k < 2; ++k) {
    if (!halves[k].start) continue;
    Mem values[kHalf];
    load_all(halves[k].pattern, halves[k].start, values, kHalf);
    for (unsigned l = 0; l < kHalf; ++l) d[k * kHalf + l] = static_cast<Reg>(values[l]);
  }
  return true;
}

template <class Mem, class Reg>
bool store_halves(Warp& w, const Instruction& i, Mask lanes, const Reg* b) {
  LaneHalf halves[2];
  if (!halves_of(w, i, lanes, sizeof(Mem), halves)) return false;
  for (const auto& half : halves)
    if (half.start && half.pattern != Pattern::row) return false;
  for (unsigned k = 0; k < 2; ++k) {
    if (!halves[k].start) continue;
    Mem values[kHalf];
    for (unsigned l = 0; l < kHalf; ++l) values[l] = static_cast<Mem>(b[k * kHalf + l]);
    std::memcpy(halves[k].start, values, sizeof values);
  }
  return true;
}

template <class Mem, class Reg>
void load(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<Reg>(i.d);
  std::byte* start = nullptr;
  const auto pattern = lanes == kAllLanes ? pattern_of(w, i, sizeof(Mem), start) : Pattern::scattered;
  if (pattern == Pattern::scattered) {
    if (load_halves<Mem>(w, i, lanes, d)) return;
    each_place(w, i, lanes, sizeof(Mem), [=](unsigned l, const std::byte* p) {
      Mem value;
      std::memcpy(&value, p, sizeof value);
      d[l] = static_cast<Reg>(value);
    });
    return;
  }
  Mem values[kLanes];
  load_all(pattern, start, values, kLanes);
  for (unsigned l = 0; l < kLanes; ++l) d[l] = static_cast<Reg>(values[l]);
}

template <class Mem, class Reg>
void store(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const b = w.at<Reg>(i.b);
  std::byte* start = nullptr;
  if (lanes == kAllLanes && pattern_of(w, i, sizeof(Mem), start) == Pattern::row) {
    Mem values[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) values[l] = static_cast<Mem>(b[l]);
    std::memcpy(start, values, sizeof values);
    return;
  }
  if (store_halves<Mem>(w, i, lanes, b)) return;
  each_place(w, i, lanes, sizeof(Mem), [=](unsigned l, std::byte* p) {
    const auto value = static_cast<Mem>(b[l]);
    std::memcpy(p, &value, sizeof value);
  });
}

// Memory that others change at the same time: to look at it again and again ends the turn of a warp.
void poll(Warp& w, const Instruction& i) {
  if (i.space == Space::shared)
    w.waits(kWeightOfPoll);
  else
    w.polls(kWeightOfPoll);
}

// One access to memory for each lane, which no other thread of the host sees half done.
template <class T>
T read_whole(const std::byte* p) {
  return *reinterpret_cast<const volatile T*>(p);
}
template <class T>
void write_whole(std::byte* p, T value) {
  *reinterpret_cast<volatile T*>(p) = value;
}

using Sixteen = std::uint64_t __attribute__((vector_size(16), may_alias));
constexpr std::size_t kMostOfVector = 32;

template <class Mem, class Reg>
void load_vector(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const targets = w.frame().function->operands.data() + i.side;
  const auto size = sizeof(Mem) * i.count;
  if (i.flag) poll(w, i);
  each_place(w, i, lanes, size, [&](unsigned l, const std::byte* p) {
    alignas(kMostOfVector) std::byte bytes[kMostOfVector];
    if (size == 16)
      write_whole(bytes, read_whole<Sixteen>(p));
    else if (size == 8)
      write_whole(bytes, read_whole<std::uint64_t>(p));
    else
      std::memcpy(bytes, p, size);
    for (unsigned k = 0; k < i.count; ++k) {
      if (!targets[k].is_there()) continue;
      Mem value;
      std::memcpy(&value, bytes + k * sizeof(Mem), sizeof value);
      w.at<Reg>(targets[k])[l] = static_cast<Reg>(value);
    }
  });
}

template <class Mem, class Reg>
void store_vector(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const sources = w.frame().function->operands.data() + i.side;
  const auto size = sizeof(Mem) * i.count;
  each_place(w, i, lanes, size, [&](unsigned l, std::byte* p) {
    alignas(kMostOfVector) std::byte bytes[kMostOfVector];
    for (unsigned k = 0; k < i.count; ++k) {
      const auto value = static_cast<Mem>(w.at<Reg>(sources[k])[l]);
      std::memcpy(bytes + k * sizeof(Mem), &value, sizeof value);
    }
    if (size == 16)
      write_whole(p, read_whole<Sixteen>(bytes));
    else if (size == 8)
      write_whole(p, read_whole<std::uint64_t>(bytes));
    else
      std::memcpy(p, bytes, size);
  });
}

template <class Mem, class Reg>
void load_ordered(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<Reg>(i.d);
  poll(w, i);
  each_place(w, i, lanes, sizeof(Mem), [=](unsigned l, const std::byte* p) {
    d[l] = static_cast<Reg>(__atomic_load_n(reinterpret_cast<const Mem*>(p), __ATOMIC_ACQUIRE));
  });
}

template <class Mem, class Reg>
void store_ordered(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const b = w.at<Reg>(i.b);
  each_place(w, i, lanes, sizeof(Mem), [=](unsigned l, std::byte* p) {
    __atomic_store_n(reinterpret_cast<Mem*>(p), static_cast<Mem>(b[l]), __ATOMIC_RELEASE);
  });
}

// What makes a handler: load or store, of a vector, at the same time as others.
struct Access {
  bool loads, vector, ordered;
};

template <class Mem, class Reg>
Handler one_of(Access access) {
  const auto [loads, vector, ordered] = access;
  if constexpr (sizeof(Mem) <= 8)  // of more, no host does it at once
    if (ordered && !vector) return loads ? &load_ordered<Mem, Reg> : &store_ordered<Mem, Reg>;
  if (vector) return loads ? &load_vector<Mem, Reg> : &store_vector<Mem, Reg>;
  return loads ? best<&load<Mem, Reg>>() : best<&store<Mem, Reg>>();
}

__extension__ using Bits128 = unsigned __int128;

template <class Mem>
Handler for_register(unsigned size, Access access) {
  if constexpr (sizeof(Mem) == 16) return size == 16 ? one_of<Mem, Mem>(access) : nullptr;
  if constexpr (sizeof(Mem) <= 1)
    if (size == 1) return one_of<Mem, std::uint8_t>(access);
  if constexpr (sizeof(Mem) <= 2)
    if (size == 2) return one_of<Mem, std::uint16_t>(access);
  if constexpr (sizeof(Mem) <= 4)
    if (size == 4) return one_of<Mem, std::uint32_t>(access);
  return size == 8 ? one_of<Mem, std::uint64_t>(access) : nullptr;
}

Handler handler_for(Type type, unsigned size, Access access) {
  switch (size_of(type)) {
    case 1:
      return is_signed(type) ? for_register<std::int8_t>(size, access) : for_register<std::uint8_t>(size, access);
    case 2:
      return is_signed(type) ? for_register<std::int16_t>(size, access) : for_register<std::uint16_t>(size, access);
    case 4:
      return is_signed(type) ? for_register<std::int32_t>(size, access) : for_register<std::uint32_t>(size, access);
    case 8:
      return for_register<std::uint64_t>(size, access);
    case 16:
      return for_register<Bits128>(size, access);
    default:
      return nullptr;
  }
}

}  // namespace

namespace decoders {

void load_store(Form& f) {
  if (f.has("async")) return async_changes(f);
  const bool loads = f.op() != Op::st_;
  const auto type = f.type();
  f.out.space = f.space();
  if (f.op() == Op::ldu_ && f.out.space == Space::generic) f.out.space = Space::global;
  f.address(f.term(loads ? 1 : 0), f.out.space);
  const auto& value = f.term(loads ? 0 : 1);
  const bool is_list = value.kind == Term::Kind::vector;
  const auto words = f.one_of({"v2", "v4", "v8"});
  const std::size_t count = words.empty() ? 1 : static_cast<std::size_t>(words[1] - '0');
  if (is_list ? value.items.size() != count : count > 1) f.fail(ErrorKind::vector_size, "a vector of another length");
  const bool vector = count > 1;  // {%r1} alone is %r1
  unsigned size = 0, first_size = 0;
  std::vector<Operand> operands;
  for (std::size_t k = 0; k < count; ++k) {
    const auto& one = is_list ? value.items[k] : value;
    operands.push_back(loads ? f.wide_target(one, type, size) : f.wide_source(one, type, size));
    if (operands.back().is_there()) {
      if (first_size && size != first_size) f.fail("registers of different sizes");
      first_size = size;
    }
  }
  if (!first_size) first_size = size;
  if (vector)
    f.list(operands);
  else
    (loads ? f.out.d : f.out.b) = operands[0];
  if (!vector && !operands[0].is_there()) f.fail(ErrorKind::operands, "expected a register");
  const bool ordered = !f.one_of({"volatile", "relaxed", "acquire", "release", "mmio"}).empty();
  f.out.flag = ordered;
  f.out.handler = handler_for(type, first_size, {loads, vector, ordered});
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
