// Changes of tensor maps: tensormap.replace, tensormap.cp_fenceproxy.
#include <bit>
#include <cstring>

#include "ptx/check/touched.hpp"
#include "ptx/instructions/memory/bulk_copies.hpp"
#include "ptx/tensor_map.hpp"

namespace nvmlkit::ptx {
namespace {

// What tensormap.replace writes.
enum class Field : std::uint8_t { address, rank, box, extent, stride, step, type, interleave, swizzle, fill };

void replace_field(Warp& w, const Instruction& i, Mask lanes) {
  std::uint64_t addresses[kLanes];
  w.addresses(i, addresses);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(lanes >> l & 1)) continue;
    TensorMap map;
    std::byte* halves[2];
    for (unsigned half = 0; half < 2; ++half) {
      halves[half] = w.resolve(i.space, i, addresses[l] + 64 * half, 64, l);
      if (!halves[half]) return;
      std::memcpy(reinterpret_cast<std::byte*>(&map) + 64 * half, halves[half], 64);
    }
    const std::uint64_t value = i.flag ? w.at<std::uint64_t>(i.b)[l] : w.at<std::uint32_t>(i.b)[l];
    // Numbers of types are not those of the driver.
    static constexpr std::uint8_t kTypes[TensorMap::kTypes] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12};
    switch (static_cast<Field>(i.detail)) {
      case Field::address:
        map.address = value;
        break;
      case Field::rank:
        map.rank = static_cast<std::uint8_t>(value + 1);
        break;
      case Field::box:
        map.box[i.count] = static_cast<std::uint16_t>(value);
        break;
      case Field::extent:
        map.last[i.count] = static_cast<std::uint32_t>(value - 1);
        break;
      case Field::stride:
        map.strides[i.count] = value;
        break;
      case Field::step:
        map.steps[i.count] = static_cast<std::uint8_t>(value);
        break;
      case Field::type:
        map.type = kTypes[value % TensorMap::kTypes];
        break;
      case Field::interleave:  // none: others are refused before
        break;
      case Field::swizzle:
        map.swizzle = static_cast<TensorMap::Swizzle>(value & 3);
        break;
      case Field::fill:
        map.fills_with_nan = value != 0;
        break;
    }
    for (unsigned half = 0; half < 2; ++half)
      std::memcpy(halves[half], reinterpret_cast<std::byte*>(&map) + 64 * half, 64);
  }
}

// From shared to global memory, 128 bytes by the whole warp.
void publish(Warp& w, const Instruction& i, Mask lanes) {
  const auto l = static_cast<unsigned>(std::countr_zero(lanes));
  for (unsigned half = 0; half < 2; ++half) {
    auto* const to = w.resolve(Space::global, i, number_at(w, i, 0, l) + 64 * half, 64, l);
    const auto* const from = to ? w.resolve(Space::shared, i, number_at(w, i, 1, l) + 64 * half, 64, l) : nullptr;
    if (!from) return;
    std::memcpy(to, from, 64);
  }
}

}  // namespace

void touched::tensor_maps(Warp& w, const Instruction& i, Mask lanes, TouchedBytes& out) {
  std::uint64_t addresses[kLanes];
  w.addresses(i, addresses);
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint8_t>(std::countr_zero(left));
    out.push_back({addresses[lane], sizeof(TensorMap), 64, Touch::changes, i.space, lane, false});
  }
}

void touched::published_maps(Warp& w, const Instruction& i, Mask lanes, TouchedBytes& out) {
  const auto lane = static_cast<std::uint8_t>(std::countr_zero(lanes));
  out.push_back({number_at(w, i, 1, lane), sizeof(TensorMap), 64, Touch::reads, Space::shared, lane, false});
  out.push_back({number_at(w, i, 0, lane), sizeof(TensorMap), 64, Touch::writes, Space::global, lane, true});
}

namespace decoders {

void tensor_maps(Form& f) {
  if (f.has("cp_fenceproxy")) {
    OperandList operands(f);
    operands.address(f.term(0));
    operands.address(f.term(1));
    operands.store();
    f.out.kind = Kind::converge;
    f.out.c = f.constant(kAllLanes, 4);
    f.out.handler = &publish;
    return;
  }
  static constexpr std::pair<std::string_view, Field> kFields[] = {{"global_address", Field::address},
                                                                   {"rank", Field::rank},
                                                                   {"box_dim", Field::box},
                                                                   {"global_dim", Field::extent},
                                                                   {"global_stride", Field::stride},
                                                                   {"element_stride", Field::step},
                                                                   {"elemtype", Field::type},
                                                                   {"interleave_layout", Field::interleave},
                                                                   {"swizzle_mode", Field::swizzle},
                                                                   {"fill_mode", Field::fill}};
  for (const auto& [word, field] : kFields) {
    if (!f.has(word)) continue;
    const bool numbered =
        field == Field::box || field == Field::extent || field == Field::stride || field == Field::step;
    f.out.space = f.space();
    f.address(f.term(0), f.out.space);
    if (numbered) {
      const auto& number = f.term(1);
      const auto places = TensorMap::kMostDimensions - (field == Field::stride);
      if (number.kind != Term::Kind::integer || number.value >= places) f.fail("expected the number of a dimension");
      f.out.count = static_cast<std::uint8_t>(number.value);
    }
    const bool is_plain = f.term(1).kind == Term::Kind::integer && f.term(1).value == 0;
    if (field == Field::interleave && !is_plain) f.fail_simulation("an interleaved layout is not simulated");
    f.out.flag = f.has("b64");
    f.out.b = f.source(numbered ? 2 : 1, f.out.flag ? Type::b64 : Type::b32);
    f.out.detail = static_cast<std::uint8_t>(field);
    f.out.handler = &replace_field;
    return;
  }
  f.fail_types();
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
