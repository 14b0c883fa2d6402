// libcusolver, as a program of CUDA 12 loads it, and matrices of the device.
#pragma once

#include "dense.hpp"
#include "generated/cusolver_table.hpp"
#include "gpu.hpp"

namespace nvmlkit::library_test {

using namespace cusolver;

inline Cusolver& library() {
  static Cusolver the("libcusolver.so.11");
  return the;
}

// One handle, in the stream 0.
inline Handle* solver() {
  static Handle* const made = [] {
    Handle* handle = nullptr;
    EXPECT_EQ(library().cusolverDnCreate(&handle), CUSOLVER_STATUS_SUCCESS);
    return handle;
  }();
  return made;
}

// The function of a scalar: potrf<T>() is cusolverDnSpotrf for float.
#define NVMLKIT_SOLVER(name, real, complex)        \
  template <class T>                               \
  auto name() {                                    \
    if constexpr (std::is_same_v<T, float>)        \
      return library().cusolverDnS##real;          \
    else if constexpr (std::is_same_v<T, double>)  \
      return library().cusolverDnD##real;          \
    else if constexpr (std::is_same_v<T, Complex>) \
      return library().cusolverDnC##complex;       \
    else                                           \
      return library().cusolverDnZ##complex;       \
  }

template <class T>
double tolerance() {
  return std::is_same_v<Real<T>, float> ? 2e-5 : 1e-13;
}
template <class T>
cudaDataType type_of() {
  return std::is_same_v<T, float>     ? CUDA_R_32F
         : std::is_same_v<T, double>  ? CUDA_R_64F
         : std::is_same_v<T, Complex> ? CUDA_C_32F
                                      : CUDA_C_64F;
}

template <class T>
T scalar_of(Number x) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(x.real());
  else
    return {static_cast<Real<T>>(x.real()), static_cast<Real<T>>(x.imag())};
}
template <class T>
Number number_of(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<double>(x);
  else
    return {static_cast<double>(x.real()), static_cast<double>(x.imag())};
}
// As a matrix of T has it.
template <class T>
Dense rounded(Dense a) {
  for (Number& x : a.numbers) x = number_of(scalar_of<T>(x));
  return a;
}

// What lies between the columns, and before and behind them.
inline constexpr double kGap = 77;

// `count` matrices of the device, one behind the other.
template <class T>
class Stored {
 public:
  Stored(const std::vector<Dense>& from, int ld)
      : rows_(from.at(0).rows), columns_(from[0].columns), ld_(ld), memory_(laid_out(from, ld)) {}
  Stored(const Dense& from, int ld) : Stored(std::vector<Dense>{from}, ld) {}

  T* data(int k = 0) const { return memory_.as() + static_cast<std::ptrdiff_t>(k) * ld_ * columns_; }
  int ld() const { return ld_; }
  Dense get(int k = 0) const {
    const auto all = memory_.read();
    Dense out(rows_, columns_);
    const auto* at = all.data() + static_cast<std::ptrdiff_t>(k) * ld_ * columns_;
    for (int j = 0; j < columns_; ++j)
      for (int i = 0; i < ld_; ++i) {
        const Number x = number_of(at[i + static_cast<std::ptrdiff_t>(j) * ld_]);
        if (i < rows_)
          out(i, j) = x;
        else
          EXPECT_EQ(x, Number(kGap)) << "between the columns";
      }
    return out;
  }

 private:
  static std::vector<T> laid_out(const std::vector<Dense>& from, int ld) {
    std::vector<T> out;
    for (const Dense& one : from)
      for (int j = 0; j < one.columns; ++j)
        for (int i = 0; i < ld; ++i) out.push_back(scalar_of<T>(i < one.rows ? one(i, j) : Number(kGap)));
    out.push_back(scalar_of<T>(kGap));
    return out;
  }

  int rows_, columns_, ld_;
  OnDevice<T> memory_;
};

// A number of the device, such as a state: not 0 before.
inline OnDevice<int> state() { return OnDevice<int>(std::vector<int>{-77}); }
inline int read(const OnDevice<int>& state) { return state.read()[0]; }

// A workspace as a size function asks for it.
template <class T>
OnDevice<T> workspace(int size) {
  EXPECT_GT(size, 0);
  return OnDevice<T>(std::vector<T>(static_cast<std::size_t>(size)));
}

using Scalars = testing::Types<float, double, Complex, DoubleComplex>;

inline cublasFillMode_t fill_of(bool is_lower) { return is_lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER; }

}  // namespace nvmlkit::library_test
