// The types of libcusolver in our own code: enums of the headers, numbers, what handles stand for.
#pragma once

#include <any>
#include <array>
#include <atomic>
#include <cstdio>
#include <memory>
#include <vector>

#include "libraries/blas/routines.hpp"
#include "libraries/common/driver.hpp"
#include "libraries/common/matrix_options.hpp"
#include "libraries/cusolver/generated/types.hpp"

namespace nvmlkit::cusolver {

using blas::Complex;
using blas::DoubleComplex;
using blas::Real;
using libraries::CUstream;
using LogCallback = void (*)(int level, const char* function, const char* message);

// Each object begins with a mark of its kind: what a program hands over is checked.
// cudaEmulationStrategy_t.
enum class EmulationStrategy : std::uint32_t { standard, performant, eager };

struct Handle {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b736f6c;
  std::uint64_t mark = kMark;
  const libraries::Driver* driver = nullptr;
  CUstream stream = nullptr;
  cusolverDeterministicMode_t deterministic = CUSOLVER_DETERMINISTIC_RESULTS;
  cusolverMathMode_t math = CUSOLVER_DEFAULT_MATH;
  EmulationStrategy strategy{};
};

// Of sparse matrices.
struct SparseHandle {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b737061;
  std::uint64_t mark = kMark;
  const libraries::Driver* driver = nullptr;
  CUstream stream = nullptr;
};
using MatrixOptions = libraries::MatrixOptionsOf<unsigned, unsigned, unsigned, unsigned>;

// Of factors that are made again.
struct Factored;
struct Refactorization {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b726566;
  std::uint64_t mark = kMark;
  const libraries::Driver* driver = nullptr;
  cusolverRfMatrixFormat_t format = CUSOLVERRF_MATRIX_FORMAT_CSR;
  cusolverRfUnitDiagonal_t unit = CUSOLVERRF_UNIT_DIAGONAL_STORED_L;
  cusolverRfFactorization_t factorization = CUSOLVERRF_FACTORIZATION_ALG0;
  cusolverRfTriangularSolve_t solve = CUSOLVERRF_TRIANGULAR_SOLVE_ALG1;
  cusolverRfResetValuesFastMode_t fast = CUSOLVERRF_RESET_VALUES_FAST_MODE_OFF;
  double zero = 0, boost = 0;
  std::shared_ptr<Factored> factored;  // there behind a setup
};

// How solutions are refined, and how that went.
struct RefinementSettings {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b697273;
  std::uint64_t mark = kMark;
  cusolverIRSRefinement_t method = CUSOLVER_IRS_REFINE_NOT_SET;
  cusolverPrecType_t main{}, lowest{};
  double tolerance = 0, inner_tolerance = 0;
  int most = 50, most_inner = 50;
  bool falls_back = true;
};
struct RefinementResults {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b697269;
  std::uint64_t mark = kMark;
  int steps = 0, most = 0;
  bool keeps_history = false;
  // A matrix of two columns: the number of steps, and the norm of the residual then. Of double or float.
  std::vector<double> history;
  std::vector<float> narrow_history;
};

// Factors that a program keeps: a shared_ptr to what its last factorization made, of the type of its numbers.
struct LuInfo {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b6c7566;
  std::uint64_t mark = kMark;
  std::any factor;
};
struct CholeskyInfo {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b63686f;
  std::uint64_t mark = kMark;
  std::any factor;
};

// The shape that its analysis saw, a matrix to factor, and its factors.
struct QrInfo {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b717266;
  std::uint64_t mark = kMark;
  int m = 0, n = 0, count = 0;
  std::any rows, factor;
};

struct Parameters {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b706172;
  std::uint64_t mark = kMark;
  std::array<cusolverAlgMode_t, 3> algorithms{};  // by cusolverDnFunction_t
};

// What a run of the Jacobi functions leaves. Its work may end after the object that a program destroyed.
struct JacobiResult {
  std::atomic<double> residual{0};
  std::atomic<bool> is_batched{false};
};

struct Jacobi {
  double tolerance = 0;
  int most_sweeps = 100, sort = 1;
  std::shared_ptr<JacobiResult> result = std::make_shared<JacobiResult>();
};
struct JacobiEigen : Jacobi {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b656967;
  std::uint64_t mark = kMark;
};
struct JacobiSingular : Jacobi {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b737664;
  std::uint64_t mark = kMark;
};

template <class Object>
bool is_object(const Object* object) {
  return object && reinterpret_cast<std::uintptr_t>(object) % alignof(Object) == 0 && object->mark == Object::kMark;
}

}  // namespace nvmlkit::cusolver
