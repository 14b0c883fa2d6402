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
    case Type::tf32:  // the lower bits are not looked at
      return std::bit_cast<float>(value_at<std::uint32_t>(at) & 0xFFFFE000);
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

void put(std::byte* at, Type type, double value) {
  switch (type) {
    case Type::f16:
      return write(at, Half::of(value));
    case Type::f32:
      return value == value ? write(at, static_cast<float>(value)) : write(at, kNoFloat);
    case Type::f64:
      return value == value ? write(at, value) : write(at, kNoDouble);
    default:  // sums of integers are exact, and wrap
      return write(at, static_cast<std::uint32_t>(static_cast<std::int64_t>(value)));
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
  for (unsigned slot = 0; slot < rows * columns / kLanes; ++slot)
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const auto p = place(lane, slot);
      auto& number = out[p.row * columns + p.column];
      if (const auto bits = bits_of_element(type); bits < 8)
        number = small_number(
            warp.at<std::uint32_t>(registers[slot / per_register()])[lane] >> slot % per_register() * bits, type);
      else
        number = tile_number(element(warp, registers, lane, slot), type);
    }
}

void Tile::scatter(const Warp& warp, const Operand* registers, const double* from) const {
  for (unsigned slot = 0; slot < slots(); ++slot)
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const auto p = place(lane, slot);
      put(element(warp, registers, lane, slot), type, from[p.row * columns + p.column]);
    }
}

}  // namespace nvmlkit::ptx
