#include "libraries/cublaslt/functions/transforms.hpp"

#include <limits>
#include <utility>
#include <vector>

#include "libraries/cublaslt/functions/attributes.hpp"
#include "libraries/cublaslt/orders.hpp"

namespace nvmlkit::cublaslt::functions {
namespace {

using blas::Complex;
using blas::DoubleComplex;
using blas::Type;
using libraries::Running;

Member find(TransformDescription& d, cublasLtMatrixTransformDescAttributes_t which) {
  switch (which) {
    case CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE:
      return member(d.scalar);
    case CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE:
      return member(d.pointer_mode);
    case CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA:
      return member(d.ta);
    case CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB:
      return member(d.tb);
  }
  return {};
}

TransformDescription description_of(cudaDataType scalar) {
  TransformDescription out;
  out.scalar = static_cast<std::int32_t>(scalar);
  return out;
}

// A matrix of the sum; one that is not given has no elements.
struct Summand {
  const void* data = nullptr;
  Type type{};
  Shape shape;
  std::int64_t stride = 0;
  std::int64_t plane_offset = 0;  // in bytes, to the imaginary parts; 0: they are beside the real ones
  std::int32_t operation = 0;
  const void* scalar = nullptr;

  Summand(const void* at, const MatrixLayout* layout, std::int32_t op, const void* factor)
      : data(layout ? at : nullptr), operation(op), scalar(factor) {
    if (!data) return;
    type = Type(layout->type);
    shape = Shape(*layout);
    stride = layout->stride;
    plane_offset = layout->plane_offset;
  }
  bool is_turned() const { return operation != 0; }
  std::int64_t rows() const { return is_turned() ? shape.columns : shape.rows; }  // of op(matrix)
  std::int64_t columns() const { return is_turned() ? shape.rows : shape.columns; }
};

// A matrix of a batch at its address of the host.
struct Place {
  char* numbers = nullptr;
  char* imaginary = nullptr;  // if they are apart
  std::size_t size = 0;       // of a number, or of a part of one

  // Documented: strides count whole numbers, also of planes. In products of planes, they count parts (planes.hpp).
  Place(const Summand& o, std::int64_t index, Running& running, bool writes) {
    const auto whole = blas::size_of(o.type);
    size = o.plane_offset != 0 ? whole / 2 : whole;
    auto* const at =
        static_cast<char*>(const_cast<void*>(o.data)) + index * o.stride * static_cast<std::int64_t>(whole);
    const auto reach = [&](char* place) {
      return static_cast<char*>(
          writes ? running.write(static_cast<void*>(place), extent(o.shape), size)
                 : const_cast<void*>(running.read(static_cast<const void*>(place), extent(o.shape), size)));
    };
    numbers = reach(at);
    if (o.plane_offset != 0) imaginary = reach(at + o.plane_offset);
  }
  Place() = default;

  void get(std::int64_t at, char* number) const {
    std::memcpy(number, numbers + static_cast<std::size_t>(at) * size, size);
    if (imaginary) std::memcpy(number + size, imaginary + static_cast<std::size_t>(at) * size, size);
  }
  void put(std::int64_t at, const char* number) const {
    std::memcpy(numbers + static_cast<std::size_t>(at) * size, number, size);
    if (imaginary) std::memcpy(imaginary + static_cast<std::size_t>(at) * size, number + size, size);
  }
};

struct Sum {
  Summand a, b, c;
  std::int64_t count;
  Type scalar;
  bool has_host_scalars;
  DoubleComplex alpha{}, beta{};
};

template <class Number>
Number number_of(DoubleComplex value) {
  if constexpr (std::is_same_v<Number, Complex> || std::is_same_v<Number, DoubleComplex>)
    return Number(value);
  else
    return static_cast<Number>(value.real());
}

template <class Number>
Number conjugate(Number value) {
  if constexpr (std::is_same_v<Number, Complex> || std::is_same_v<Number, DoubleComplex>)
    return std::conj(value);
  else
    return value;
}

// Adds a column of factor * op(matrix).
template <class Number>
void add_column(const Summand& o, const Place& data, std::int64_t column, Number factor, std::vector<char>& bytes,
                std::vector<Number>& numbers, std::vector<Number>& sums) {
  const auto size = blas::size_of(o.type);
  const auto count = static_cast<std::int64_t>(sums.size());
  for (std::int64_t row = 0; row < count; ++row) {
    const auto at = o.is_turned() ? place(o.shape, column, row) : place(o.shape, row, column);
    data.get(at, bytes.data() + static_cast<std::size_t>(row) * size);
  }
  blas::load(o.type, bytes.data(), count, numbers.data());
  for (std::size_t k = 0; k < sums.size(); ++k)
    sums[k] += factor * (o.operation == 2 ? conjugate(numbers[k]) : numbers[k]);
}

template <class Number>
void run_sum(const Sum& w, Running& running) {
  const auto factor = [&](const Summand& o, DoubleComplex value) {
    if (w.has_host_scalars || !o.data) return number_of<Number>(value);
    return number_of<Number>(
        blas::load_one<DoubleComplex>(w.scalar, running.read(o.scalar, 1, blas::size_of(w.scalar))));
  };
  const auto alpha = factor(w.a, w.alpha), beta = factor(w.b, w.beta);
  const auto size_c = blas::size_of(w.c.type);
  const auto rows = static_cast<std::size_t>(w.c.shape.rows);
  std::vector<Number> numbers(rows), sums(rows);
  std::vector<char> bytes(rows * sizeof(DoubleComplex));
  for (std::int64_t i = 0; i < w.count; ++i) {
    const auto read = [&](const Summand& o, Number scalar) {
      return o.data && scalar != Number{} ? Place(o, i, running, false) : Place();
    };
    const auto a = read(w.a, alpha), b = read(w.b, beta);
    const Place c(w.c, i, running, true);
    for (std::int64_t column = 0; column < w.c.shape.columns; ++column) {
      if (column % 256 == 255) running.tick();
      sums.assign(rows, Number{});
      if (a.numbers) add_column(w.a, a, column, alpha, bytes, numbers, sums);
      if (b.numbers) add_column(w.b, b, column, beta, bytes, numbers, sums);
      blas::store(w.c.type, sums.data(), w.c.shape.rows, bytes.data());
      for (std::size_t row = 0; row < rows; ++row)
        c.put(place(w.c.shape, static_cast<std::int64_t>(row), column), bytes.data() + row * size_c);
    }
  }
}

// The sum is kept in the type of the scalars; integers are exact in double.
void run_in_scalars(const Sum& w, Running& running) {
  if (w.scalar == Type::c64) return run_sum<DoubleComplex>(w, running);
  if (w.scalar == Type::c32) return run_sum<Complex>(w, running);
  if (w.scalar == Type::f64 || w.scalar == Type::i32) return run_sum<double>(w, running);
  run_sum<float>(w, running);
}

bool is_scalar(Type type) {
  return type == Type::f32 || type == Type::f64 || type == Type::f16 || type == Type::i32 || type == Type::c32 ||
         type == Type::c64;
}

cublasStatus_t check_sum(const TransformDescription& d, const MatrixLayout* a, const MatrixLayout* b,
                         const MatrixLayout& c) {
  const auto scalar = Type(d.scalar);
  if (!is_scalar(scalar) || static_cast<std::uint32_t>(d.pointer_mode) > CUBLASLT_POINTER_MODE_DEVICE ||
      static_cast<std::uint32_t>(d.ta) > 2 || static_cast<std::uint32_t>(d.tb) > 2)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  for (const auto& [layout, operation] : {std::pair{a, d.ta}, std::pair{b, d.tb}, std::pair{&c, 0}}) {
    if (!layout) continue;
    const auto type = Type(layout->type);
    if (blas::size_of(type) == 0 || blas::is_complex(type) != blas::is_complex(scalar) || !is_order(layout->order) ||
        (layout->plane_offset != 0 && !blas::is_complex(type)) || layout->batch_mode != 0)
      return CUBLAS_STATUS_NOT_SUPPORTED;
    constexpr std::uint64_t kMost = std::numeric_limits<int>::max();
    const bool is_huge =
        layout->rows > kMost || layout->columns > kMost || layout->ld > static_cast<std::int64_t>(kMost);
    const bool fits = operation != 0 ? layout->columns == c.rows && layout->rows == c.columns
                                     : layout->rows == c.rows && layout->columns == c.columns;
    if (is_huge || !fits || layout->ld < least_ld(Shape(*layout)) || layout->count != c.count)
      return CUBLAS_STATUS_INVALID_VALUE;
  }
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

cublasStatus_t create_transform(TransformDescription** out, cudaDataType scalar) {
  return make(out, description_of(scalar));
}
cublasStatus_t init_transform(TransformDescription* out, std::size_t size, cudaDataType scalar) {
  return init(out, size, description_of(scalar));
}
cublasStatus_t destroy_transform(TransformDescription* description) { return unmake(description); }
cublasStatus_t set_transform_attribute(TransformDescription* d, cublasLtMatrixTransformDescAttributes_t which,
                                       const void* value, std::size_t size) {
  return set_member(d ? find(*d, which) : Member{}, value, size);
}
cublasStatus_t get_transform_attribute(TransformDescription* d, cublasLtMatrixTransformDescAttributes_t which,
                                       void* value, std::size_t size, std::size_t* written) {
  return get_member(d ? find(*d, which) : Member{}, value, size, written);
}

cublasStatus_t transform(Handle* handle, TransformDescription* description, const void* alpha, const void* a,
                         MatrixLayout* layout_a, const void* beta, const void* b, MatrixLayout* layout_b, void* c,
                         MatrixLayout* layout_c, CUstream stream) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!description || !c || !layout_c || (a && (!layout_a || !alpha)) || (b && (!layout_b || !beta)))
    return CUBLAS_STATUS_INVALID_VALUE;
  const auto* const driver = libraries::driver();
  if (!driver) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (const auto status = check_sum(*description, a ? layout_a : nullptr, b ? layout_b : nullptr, *layout_c);
      status != CUBLAS_STATUS_SUCCESS) {
    if (status == CUBLAS_STATUS_NOT_SUPPORTED)
      libraries::note_unsupported("cublasLtMatrixTransform", "with this description");
    return status;
  }
  if (layout_c->rows == 0 || layout_c->columns == 0 || layout_c->count == 0) return CUBLAS_STATUS_SUCCESS;
  Sum sum{Summand(a, layout_a, description->ta, alpha),
          Summand(b, layout_b, description->tb, beta),
          Summand(c, layout_c, 0, nullptr),
          layout_c->count,
          Type(description->scalar),
          description->pointer_mode == CUBLASLT_POINTER_MODE_HOST};
  if (sum.has_host_scalars) {
    if (a) sum.alpha = blas::load_one<DoubleComplex>(sum.scalar, alpha);
    if (b) sum.beta = blas::load_one<DoubleComplex>(sum.scalar, beta);
  }
  const double elements =
      static_cast<double>(layout_c->rows) * static_cast<double>(layout_c->columns) * layout_c->count;
  const libraries::Cost cost{2 * elements, 3 * elements * static_cast<double>(blas::size_of(sum.c.type)),
                             host_kernels::pipe_other};
  const auto result = libraries::enqueue(*driver, stream, "cublasLtMatrixTransform", cost,
                                         [sum](Running& running) { run_in_scalars(sum, running); });
  return result == cuda::CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace nvmlkit::cublaslt::functions
