#include "ptx/instructions/matrices/tensor_tile.hpp"

#include <bit>
#include <cstring>

#include "ptx/narrow_floats.hpp"
#include "ptx/run/warp.hpp"

namespace nvmlkit::ptx {
namespace {

template <class T>
T value_at(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
void write(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

// The lower bits are not looked at.
float wide_tf32(std::uint32_t bits) { return std::bit_cast<float>(bits & 0xFFFFE000); }

}  // namespace

double tile_number(const std::byte* at, Type type) {
  switch (type) {
    case Type::f16:
      return Half::wide(value_at<Half>(at));
    case Type::bf16:
      return Bfloat::wide(value_at<Bfloat>(at));
    case Type::e4m3:
      return Float8E4M3::wide(value_at<Float8E4M3>(at));
    case Type::e5m2:
      return Float8E5M2::wide(value_at<Float8E5M2>(at));
    case Type::tf32:
      return wide_tf32(value_at<std::uint32_t>(at));
    case Type::f32:
      return value_at<float>(at);
    case Type::f64:
      return value_at<double>(at);
    case Type::s8:
      return value_at<std::int8_t>(at);
    case Type::u8:
      return value_at<std::uint8_t>(at);
    default:
      return value_at<std::int32_t>(at);
  }
}

namespace {

// The element that a number becomes.
constexpr auto kStoredHalf = [](double value) { return Half::of(value); };
constexpr auto kStoredFloat = [](double value) {
  return value == value ? static_cast<float>(value) : std::bit_cast<float>(kNoFloat);
};
constexpr auto kStoredDouble = [](double value) { return value == value ? value : std::bit_cast<double>(kNoDouble); };
// Sums of integers are exact, and wrap.
constexpr auto kStoredInteger = [](double value) {
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
};

// The number of an element.
template <class T>
constexpr auto kWide = [](T element) { return T::wide(element); };
template <class T>
constexpr auto kSame = [](T element) -> double { return element; };

// Where the elements of one slot stand in a matrix that lies row after row: each lane at a place that is linear in its
// group of four and its place in the group.
struct Steps {
  unsigned first, of_group, of_own;

  Steps(const Tile& tile, unsigned slot) {
    const auto index = [&](unsigned lane) {
      const auto place = tile.place(lane, slot);
      return place.row * tile.columns + place.column;
    };
    first = index(0);
    of_group = index(4) - first;
    of_own = index(1) - first;
  }
};

// Calls with each lane and the place of its element.
template <class Each>
void for_lanes(const Tile& tile, unsigned slot, Each each) {
  const Steps steps(tile, slot);
  for (unsigned group = 0; group < kLanes / 4; ++group)
    for (unsigned own = 0; own < 4; ++own)
      each(group * 4 + own, steps.first + group * steps.of_group + own * steps.of_own);
}

template <class T, class Number>
void gather_as(const Tile& tile, const Warp& warp, const Operand* registers, double* out, Number number) {
  const unsigned packed = tile.per_register();
  for (unsigned slot = 0; slot < tile.rows * tile.columns / kLanes; ++slot) {
    const auto* const elements = warp.at<std::byte>(registers[slot / packed]) + slot % packed * sizeof(T);
    for_lanes(tile, slot, [&](unsigned lane, unsigned place) {
      out[place] = number(value_at<T>(elements + lane * packed * sizeof(T)));
    });
  }
}

template <class Element>
void scatter_as(const Tile& tile, const Warp& warp, const Operand* registers, const double* from, Element element) {
  using T = decltype(element(0.0));
  const unsigned packed = tile.per_register();
  for (unsigned slot = 0; slot < tile.slots(); ++slot) {
    auto* const elements = warp.at<std::byte>(registers[slot / packed]) + slot % packed * sizeof(T);
    for_lanes(tile, slot, [&](unsigned lane, unsigned place) {
      write(elements + lane * packed * sizeof(T), element(from[place]));
    });
  }
}

// Elements of less than a byte.
void gather_small(const Tile& tile, const Warp& warp, const Operand* registers, double* out) {
  const unsigned packed = tile.per_register(), bits = bits_of_element(tile.type);
  for (unsigned slot = 0; slot < tile.rows * tile.columns / kLanes; ++slot) {
    const auto* const words = warp.at<std::uint32_t>(registers[slot / packed]);
    for_lanes(tile, slot, [&](unsigned lane, unsigned place) {
      out[place] = Tile::small_number(words[lane] >> slot % packed * bits, tile.type);
    });
  }
}

}  // namespace

std::byte* Tile::element(const Warp& warp, const Operand* registers, unsigned lane, unsigned slot) const {
  const auto packed = per_register();
  const auto size = size_of(type);
  return warp.at<std::byte>(registers[slot / packed]) + lane * packed * size + slot % packed * size;
}

double Tile::small_number(std::uint32_t bits, Type type) {
  if (type == Type::b1) return bits & 1;
  const auto value = static_cast<int>(bits & 15);
  return type == Type::s4 && value >= 8 ? value - 16 : value;
}

void Tile::gather(const Warp& warp, const Operand* registers, double* out) const {
  if (bits_of_element(type) < 8) return gather_small(*this, warp, registers, out);
  switch (type) {
    case Type::f16:
      return gather_as<Half>(*this, warp, registers, out, kWide<Half>);
    case Type::bf16:
      return gather_as<Bfloat>(*this, warp, registers, out, kWide<Bfloat>);
    case Type::e4m3:
      return gather_as<Float8E4M3>(*this, warp, registers, out, kWide<Float8E4M3>);
    case Type::e5m2:
      return gather_as<Float8E5M2>(*this, warp, registers, out, kWide<Float8E5M2>);
    case Type::tf32:
      return gather_as<std::uint32_t>(*this, warp, registers, out, [](std::uint32_t bits) { return wide_tf32(bits); });
    case Type::f32:
      return gather_as<float>(*this, warp, registers, out, kSame<float>);
    case Type::f64:
      return gather_as<double>(*this, warp, registers, out, kSame<double>);
    case Type::s8:
      return gather_as<std::int8_t>(*this, warp, registers, out, kSame<std::int8_t>);
    case Type::u8:
      return gather_as<std::uint8_t>(*this, warp, registers, out, kSame<std::uint8_t>);
    default:
      return gather_as<std::int32_t>(*this, warp, registers, out, kSame<std::int32_t>);
  }
}

namespace {

// Copies so many bytes, which the compiler knows, to or from a register.
template <std::size_t kBytes, bool kStores>
void copy(std::byte* in_register, std::byte* in_memory) {
  std::memcpy(kStores ? in_memory : in_register, kStores ? in_register : in_memory, kBytes);
}

// All numbers of rows, columns and elements of a lane are powers of two. The elements of a register lie side by side in
// a row.
template <class T, bool kStores>
void move_as(const Tile& tile, const Warp& warp, const Operand* registers, const Tile::InMemory& memory) {
  constexpr unsigned kPacked = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
  const unsigned each = tile.rows * tile.columns / kLanes;
  const auto shift = static_cast<unsigned>(std::countr_zero(tile.columns));
  const std::size_t of_row = (memory.by_column ? 1 : memory.stride) * sizeof(T),
                    of_column = (memory.by_column ? memory.stride : 1) * sizeof(T);
  for (unsigned r = 0; r < tile.registers(); ++r) {
    auto* words = warp.at<std::byte>(registers[r]);
    const unsigned first = r * kPacked & (each - 1);
    for (unsigned lane = 0; lane < kLanes; ++lane, words += kPacked * sizeof(T)) {
      const unsigned index = lane * each + first;
      auto* const place = memory.start + (index >> shift) * of_row + (index & (tile.columns - 1)) * of_column;
      if (!memory.by_column)
        copy<kPacked * sizeof(T), kStores>(words, place);
      else
        for (unsigned part = 0; part < kPacked; ++part)
          copy<sizeof(T), kStores>(words + part * sizeof(T), place + part * of_column);
    }
  }
}

template <class T>
void move_any(const Tile& tile, const Warp& warp, const Operand* registers, const Tile::InMemory& memory) {
  return memory.is_target ? move_as<T, true>(tile, warp, registers, memory)
                          : move_as<T, false>(tile, warp, registers, memory);
}

}  // namespace

void Tile::move(const Warp& warp, const Operand* registers, const InMemory& memory) const {
  switch (size_of(type)) {
    case 1:
      return move_any<std::uint8_t>(*this, warp, registers, memory);
    case 2:
      return move_any<std::uint16_t>(*this, warp, registers, memory);
    case 4:
      return move_any<std::uint32_t>(*this, warp, registers, memory);
    default:
      return move_any<std::uint64_t>(*this, warp, registers, memory);
  }
}

void Tile::scatter(const Warp& warp, const Operand* registers, const double* from) const {
  switch (type) {
    case Type::f16:
      return scatter_as(*this, warp, registers, from, kStoredHalf);
    case Type::f32:
      return scatter_as(*this, warp, registers, from, kStoredFloat);
    case Type::f64:
      return scatter_as(*this, warp, registers, from, kStoredDouble);
    default:
      return scatter_as(*this, warp, registers, from, kStoredInteger);
  }
}

}  // namespace nvmlkit::ptx
