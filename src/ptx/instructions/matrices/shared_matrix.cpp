#include "ptx/instructions/matrices/shared_matrix.hpp"

#include "ptx/instructions/matrices/tensor_tile.hpp"

namespace nvmlkit::ptx {
namespace {

// A field of a descriptor counts pieces.
std::uint64_t bytes_in(std::uint64_t descriptor, unsigned shift) {
  return (descriptor >> shift & 0x3FFF) * SharedMatrix::kPiece;
}

}  // namespace

SharedMatrix::SharedMatrix(std::uint64_t descriptor, Type type, bool by_k)
    : start_(bytes_in(descriptor, 0)),
      leading_(bytes_in(descriptor, 16)),
      stride_(bytes_in(descriptor, 32)),
      base_(static_cast<unsigned>(descriptor >> 49 & 7)),
      type_(type),
      by_k_(by_k) {
  constexpr unsigned kUnits[] = {1, 8, 4, 2};
  units_ = kUnits[descriptor >> 62];
}

std::uint64_t SharedMatrix::address(unsigned row, unsigned depth) const {
  const unsigned each = kPiece / size_of(type_);
  const unsigned along = (by_k_ ? depth : row) / each, across = by_k_ ? row : depth;
  std::uint64_t out = start_ + across % 8 * units_ * kPiece;
  if (by_k_)
    out += across / 8 * stride_ + along * (units_ == 1 ? leading_ : kPiece);
  else if (units_ == 1)
    out += along * stride_ + across / 8 * leading_;
  else
    out += along % units_ * kPiece + along / units_ * leading_ + across / 8 * stride_;
  return out ^ ((((out >> 7) - base_) & (units_ - 1)) * kPiece);
}

bool SharedMatrix::load(Warp& warp, const Instruction& i, unsigned first, unsigned count, unsigned depth, double* out,
                        unsigned row_step, unsigned depth_step) const {
  const unsigned size = size_of(type_), each = kPiece / size;
  return each_piece(first, count, depth, [&](std::uint64_t at, unsigned row, unsigned k) {
    const auto* const bytes = warp.resolve(Space::shared, i, at, kPiece, 0);
    if (!bytes) return false;
    auto* const to = out + row * row_step + k * depth_step;
    for (unsigned e = 0; e < each; ++e) to[e * (by_k_ ? depth_step : row_step)] = tile_number(bytes + e * size, type_);
    return true;
  });
}

}  // namespace nvmlkit::ptx
