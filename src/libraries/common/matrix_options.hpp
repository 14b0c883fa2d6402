// What a program says of a sparse matrix by cusparseMatDescr_t. libcusparse makes it, libcusolver takes it.
#pragma once

#include <cstdint>

namespace nvmlkit::libraries {

template <class Type, class Fill, class Diagonal, class Base>
struct MatrixOptionsOf {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b6d6174;
  std::uint64_t mark = kMark;
  Type type{};          // a general matrix
  Fill fill{};          // the lower triangle
  Diagonal diagonal{};  // not unit
  Base base{};          // 0
};

}  // namespace nvmlkit::libraries
