// libcusolverMg, as a program of CUDA 12 loads it, and matrices whose columns lie on several GPUs.
#pragma once

#include "cusolver/dense.hpp"
#include "generated/cusolvermg_table.hpp"
#include "gpu.hpp"

namespace nvmlkit::library_test {

using namespace cusolvermg;

inline constexpr auto kLower = CUBLAS_FILL_MODE_LOWER;

inline Cusolvermg& library() {
  static Cusolvermg the("libcusolverMg.so.11");
  return the;
}

template <class T>
using RealOf = blas::Real<T>;

template <class T>
constexpr bool kIsComplex = !std::is_floating_point_v<T>;
template <class T>
constexpr cudaDataType kType = std::is_same_v<T, float>     ? CUDA_R_32F
                               : std::is_same_v<T, double>  ? CUDA_R_64F
                               : std::is_same_v<T, Complex> ? CUDA_C_32F
                                                            : CUDA_C_64F;
template <class T>
double tolerance() {
  return std::is_same_v<RealOf<T>, float> ? 2e-5 : 1e-13;
}
using Scalars = testing::Types<float, double, Complex, DoubleComplex>;

template <class T>
T scalar_of(Number x) {
  if constexpr (kIsComplex<T>)
    return {static_cast<RealOf<T>>(x.real()), static_cast<RealOf<T>>(x.imag())};
  else
    return static_cast<T>(x.real());
}
// As a matrix of T has it.
template <class T>
Dense rounded(Dense a) {
  for (Number& x : a.numbers) x = Number(scalar_of<T>(x));
  return a;
}

// The contexts of the GPUs of the machine.
class InContextOf {
 public:
  explicit InContextOf(int device) {
    static const auto retain = gpu().find<decltype(&cuda::cuDevicePrimaryCtxRetain)>("cuDevicePrimaryCtxRetain");
    cuda::CUcontext context = nullptr;
    EXPECT_EQ(retain(&context, device), cuda::CUDA_SUCCESS);
    set(context);
  }
  ~InContextOf() {
    static const auto retain = gpu().find<decltype(&cuda::cuDevicePrimaryCtxRetain)>("cuDevicePrimaryCtxRetain");
    cuda::CUcontext context = nullptr;
    retain(&context, 0);
    set(context);
  }

 private:
  static void set(cuda::CUcontext context) {
    static const auto set = gpu().find<decltype(&cuda::cuCtxSetCurrent)>("cuCtxSetCurrent");
    EXPECT_EQ(set(context), cuda::CUDA_SUCCESS);
  }
};

// A handle and a grid of the same GPUs.
class Several {
 public:
  explicit Several(std::vector<int> gpus) : devices(std::move(gpus)) {
    gpu();
    EXPECT_EQ(library().cusolverMgCreate(&handle), CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(library().cusolverMgDeviceSelect(handle, count(), devices.data()), CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(library().cusolverMgCreateDeviceGrid(&grid, 1, count(), devices.data(), CUDALIBMG_GRID_MAPPING_COL_MAJOR),
              CUSOLVER_STATUS_SUCCESS);
  }
  ~Several() {
    EXPECT_EQ(library().cusolverMgDestroyGrid(grid), CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(library().cusolverMgDestroy(handle), CUSOLVER_STATUS_SUCCESS);
  }
  Several(const Several&) = delete;
  Several& operator=(const Several&) = delete;

  int count() const { return static_cast<int>(devices.size()); }

  std::vector<int> devices;
  Handle* handle = nullptr;
  Grid* grid = nullptr;
};

inline constexpr double kAround = 77;  // what a matrix has outside of the part that is used

// A matrix on several GPUs; `part` is a part of it from a row and a column on (both from 1).
template <class T>
class Spread {
 public:
  Spread(const Several& on, const Dense& part, int tile, int first_row = 1, int first_column = 1, int more = 0)
      : row(first_row),
        column(first_column),
        on_(on),
        tile_(tile),
        rows_(part.rows + row - 1 + more),
        columns_(part.columns + column - 1 + more),
        part_rows_(part.rows),
        part_columns_(part.columns) {
    EXPECT_EQ(library().cusolverMgCreateMatrixDesc(&description, rows_, columns_, rows_, tile, kType<T>, on.grid),
              CUSOLVER_STATUS_SUCCESS);
    for (int g = 0; g < on.count(); ++g) {
      std::vector<T> own(size(), scalar_of<T>(kAround));
      each(g, part.rows, part.columns, [&](int i, int j, std::size_t at) { own[at] = scalar_of<T>(part(i, j)); });
      const InContextOf context(on.devices[static_cast<std::size_t>(g)]);
      memory_.push_back(std::make_unique<OnDevice<T>>(own));
      addresses_.push_back(memory_.back()->as());
    }
  }
  ~Spread() {
    EXPECT_EQ(library().cusolverMgDestroyMatrixDesc(description), CUSOLVER_STATUS_SUCCESS);
    for (int g = 0; g < on_.count(); ++g) {
      const InContextOf context(on_.devices[static_cast<std::size_t>(g)]);
      memory_[static_cast<std::size_t>(g)].reset();
    }
  }
  Spread(const Spread&) = delete;
  Spread& operator=(const Spread&) = delete;

  const int row, column;
  Description* description = nullptr;

  void** data() { return reinterpret_cast<void**>(addresses_.data()); }

  // The part again. Nothing else may have changed.
  Dense get() const {
    Dense out(part_rows_, part_columns_);
    for (int g = 0; g < on_.count(); ++g) {
      const InContextOf context(on_.devices[static_cast<std::size_t>(g)]);
      auto own = memory_[static_cast<std::size_t>(g)]->read();
      each(g, part_rows_, part_columns_, [&](int i, int j, std::size_t at) {
        out(i, j) = Number(own[at]);
        own[at] = scalar_of<T>(kAround);
      });
      for (const T& x : own) EXPECT_EQ(x, scalar_of<T>(kAround)) << "outside of the part";
    }
    return out;
  }

 private:
  std::size_t size() const {
    const int tiles = (columns_ + tile_ - 1) / tile_, most = (tiles + on_.count() - 1) / on_.count();
    return static_cast<std::size_t>(std::max(1, rows_ * tile_ * most));
  }
  template <class Visit>
  void each(int g, int rows, int columns, Visit visit) const {
    for (int j = 0; j < columns; ++j) {
      const int whole = j + column - 1, tile = whole / tile_;
      if (tile % on_.count() != g) continue;
      const int local = tile / on_.count() * tile_ + whole % tile_;
      for (int i = 0; i < rows; ++i) visit(i, j, static_cast<std::size_t>(local * rows_ + i + row - 1));
    }
  }

  const Several& on_;
  int tile_, rows_, columns_, part_rows_, part_columns_;
  std::vector<std::unique_ptr<OnDevice<T>>> memory_;
  std::vector<T*> addresses_;
};

// Workspaces as a size function asks for them.
template <class T>
class Workspaces {
 public:
  Workspaces(const Several& on, std::int64_t elements) : size(elements) {
    EXPECT_GT(size, 0);
    for (const int device : on.devices) {
      const InContextOf context(device);
      memory_.push_back(std::make_unique<OnDevice<T>>(std::vector<T>(static_cast<std::size_t>(size))));
      addresses_.push_back(memory_.back()->as());
    }
  }
  void** data() { return reinterpret_cast<void**>(addresses_.data()); }

  const std::int64_t size;

 private:
  std::vector<std::unique_ptr<OnDevice<T>>> memory_;
  std::vector<T*> addresses_;
};

// One GPU, several, a GPU that stands for two.
inline std::vector<int> some_gpus(int turn) {
  const std::vector<std::vector<int>> all = {{0}, {0, 1}, {2, 0, 1}, {0, 0}, {3, 2, 1, 0}, {1, 1, 0}};
  return all[static_cast<std::size_t>(turn) % all.size()];
}

}  // namespace nvmlkit::library_test
