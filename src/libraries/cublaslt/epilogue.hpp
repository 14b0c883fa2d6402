// What is done with the numbers of a product before they are stored.
#pragma once

#include <vector>

#include "libraries/common/kernel.hpp"
#include "libraries/cublaslt/types.hpp"

namespace nvmlkit::cublaslt {

// Of one product of a batch, `m` rows and `n` columns. `Number` is float or double, as the product's sums.
template <class Number>
class Epilogue {
 public:
  Epilogue(const MatmulDescription& description, blas::Type result, std::int64_t m, std::int64_t n, std::int64_t index,
           libraries::Running& running);

  // Whether the numbers stay as they are.
  bool is_none() const;
  // A column, in place.
  void apply(std::int64_t column, Number* numbers);
  // Writes what came of all columns.
  void finish(libraries::Running& running);

 private:
  bool has(std::uint32_t bits) const { return (d_.epilogue & bits) == bits; }
  void activate(std::int64_t column, Number* numbers);
  void pass_back(std::int64_t column, Number* numbers);

  const MatmulDescription& d_;
  std::int64_t m_, index_;
  blas::Type bias_type_, aux_type_;
  std::vector<Number> bias_, gradient_, row_;
  char* aux_ = nullptr;
  Number scale_ = 1, aux_scale_ = 1, largest_ = 0;
};

extern template class Epilogue<float>;
extern template class Epilogue<double>;

}  // namespace nvmlkit::cublaslt
