// libcusparse, as a program loads it, and matrices of the device in all of its formats.
#pragma once

#include "cusolver/dense.hpp"
#include "generated/cusparse_table.hpp"
#include "gpu.hpp"

namespace nvmlkit::library_test {

using namespace cusparse;
using cusparse::Size;
using Numbers = Dense;  // of the test

inline constexpr auto kFine = CUSPARSE_STATUS_SUCCESS;
inline constexpr auto kWrong = CUSPARSE_STATUS_INVALID_VALUE;
inline constexpr auto kNone = CUSPARSE_OPERATION_NON_TRANSPOSE;
inline constexpr auto kTurned = CUSPARSE_OPERATION_TRANSPOSE;
inline constexpr auto kAdjoint = CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;

inline Cusparse& library() {
  static Cusparse the("libcusparse.so.12");
  return the;
}
// One handle, in the stream 0.
inline Handle* sparse() {
  static Handle* const made = [] {
    Handle* handle = nullptr;
    EXPECT_EQ(library().cusparseCreate(&handle), kFine);
    return handle;
  }();
  return made;
}

// The function of a scalar: bsrmv<T>() is cusparseSbsrmv for float.
#define NVMLKIT_SPARSE(name)                       \
  template <class T>                               \
  auto name() {                                    \
    if constexpr (std::is_same_v<T, float>)        \
      return library().cusparseS##name;            \
    else if constexpr (std::is_same_v<T, double>)  \
      return library().cusparseD##name;            \
    else if constexpr (std::is_same_v<T, Complex>) \
      return library().cusparseC##name;            \
    else                                           \
      return library().cusparseZ##name;            \
  }

template <class T>
constexpr bool kIsReal = !std::is_same_v<T, Complex> && !std::is_same_v<T, DoubleComplex>;
template <class T>
constexpr cudaDataType kType = static_cast<cudaDataType>(blas::kTypeOf<T>);
template <class T>
constexpr double kTolerance = std::is_same_v<T, blas::Half>                            ? 0.02
                              : std::is_same_v<T, blas::Bfloat16>                      ? 0.2
                              : std::is_same_v<T, float> || std::is_same_v<T, Complex> ? 2e-5
                                                                                       : 1e-12;
// What numbers of a type are computed with.
template <class T>
using ComputeOf = std::conditional_t<std::is_same_v<T, blas::Half> || std::is_same_v<T, blas::Bfloat16>, float, T>;

template <class T>
T number_as(Number x) {
  if constexpr (std::is_same_v<T, blas::Half> || std::is_same_v<T, blas::Bfloat16>)
    return T::of(x.real());
  else if constexpr (kIsReal<T>)
    return static_cast<T>(x.real());
  else
    return T(static_cast<typename T::value_type>(x.real()), static_cast<typename T::value_type>(x.imag()));
}
template <class T>
Number wide(T x) {
  if constexpr (std::is_same_v<T, blas::Half> || std::is_same_v<T, blas::Bfloat16>)
    return static_cast<double>(T::wide(x));
  else if constexpr (kIsReal<T>)
    return static_cast<double>(x);
  else
    return {static_cast<double>(x.real()), static_cast<double>(x.imag())};
}
template <class T>
std::vector<T> all_as(const std::vector<Number>& from) {
  std::vector<T> out;
  for (const Number& x : from) out.push_back(number_as<T>(x));
  return out;
}

inline Numbers applied(cusparseOperation_t op, const Numbers& a) {
  return op == kNone ? a : op == kTurned ? a.transposed() : a.adjoint();
}
template <class T>
cusparseOperation_t random_operation(Random& random) {
  return static_cast<cusparseOperation_t>(random.below(3));
}

// A matrix with numbers in some places, as T has them.
template <class T>
Numbers sparse_numbers(Random& random, int m, int n, int percent = 30) {
  Numbers out(m, n);
  for (Number& x : out.numbers)
    if (random.below(100) < percent) x = wide(number_as<T>({random.number(), kIsReal<T> ? 0 : random.number()}));
  return out;
}
template <class T>
Numbers dense_numbers(Random& random, int m, int n) {
  return sparse_numbers<T>(random, m, n, 100);
}

// A dense matrix of the device in one of both orders, with a gap between its lines.
template <class T>
class OnDeviceDense {
 public:
  OnDeviceDense(const Numbers& from, cusparseOrder_t order, int gap)
      : rows_(from.rows),
        columns_(from.columns),
        order_(order),
        leading_(std::max(1, (order == CUSPARSE_ORDER_ROW ? from.columns : from.rows) + gap)),
        memory_(laid_out(from)) {
    EXPECT_EQ(library().cusparseCreateDnMat(&matrix, rows_, columns_, leading_, memory_.as(), kType<T>, order), kFine);
  }
  ~OnDeviceDense() { EXPECT_EQ(library().cusparseDestroyDnMat(matrix), kFine); }
  OnDeviceDense(const OnDeviceDense&) = delete;

  Numbers get() const {
    const auto all = memory_.read();
    Numbers out(rows_, columns_);
    for (int i = 0; i < rows_; ++i)
      for (int j = 0; j < columns_; ++j) out(i, j) = wide(all[place(i, j)]);
    return out;
  }
  T* data() const { return memory_.as(); }
  int leading() const { return leading_; }

  DenseMatrix* matrix = nullptr;

 private:
  std::size_t place(int i, int j) const {
    return static_cast<std::size_t>(order_ == CUSPARSE_ORDER_ROW ? i * leading_ + j : i + j * leading_);
  }
  std::vector<T> laid_out(const Numbers& from) const {
    std::vector<T> out(
        static_cast<std::size_t>(leading_ * std::max(1, order_ == CUSPARSE_ORDER_ROW ? rows_ : columns_)),
        number_as<T>(77));
    for (int i = 0; i < rows_; ++i)
      for (int j = 0; j < columns_; ++j) out[place(i, j)] = number_as<T>(from(i, j));
    return out;
  }

  int rows_, columns_;
  cusparseOrder_t order_;
  int leading_;
  OnDevice<T> memory_;
};

// A vector of the device.
template <class T>
class OnDeviceVector {
 public:
  explicit OnDeviceVector(const Numbers& from) : rows_(from.rows), memory_(padded(all_as<T>(from.numbers))) {
    EXPECT_EQ(library().cusparseCreateDnVec(&vector, from.rows, memory_.as(), kType<T>), kFine);
  }
  ~OnDeviceVector() { EXPECT_EQ(library().cusparseDestroyDnVec(vector), kFine); }
  OnDeviceVector(const OnDeviceVector&) = delete;

  Numbers get() const {
    const auto all = memory_.read();
    Numbers out(rows_, 1);
    for (std::size_t k = 0; k < out.numbers.size(); ++k) out.numbers[k] = wide(all[k]);
    return out;
  }

  DenseVector* vector = nullptr;

 private:
  static std::vector<T> padded(std::vector<T> from) {
    from.push_back(T{});
    return from;
  }

  int rows_;
  OnDevice<T> memory_;
};

}  // namespace nvmlkit::library_test
