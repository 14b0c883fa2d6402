#include "libraries/cublas/functions/rotations_ex.hpp"

#include "libraries/cublas/functions/any_types.hpp"

namespace nvmlkit::cublas::functions {
namespace {

bool is_complex_type(cudaDataType type) {
  return type == CUDA_C_16F || type == CUDA_C_16BF || type == CUDA_C_32F || type == CUDA_C_64F;
}

bool are_real(std::initializer_list<cudaDataType> types) {
  return std::all_of(types.begin(), types.end(), [](auto type) {
    return type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_R_32F || type == CUDA_R_64F;
  });
}

// Numbers of a call, of the host or of the device, in one precision.
template <class T>
class Place {
 public:
  Place(Running& running, bool is_of_host, const void* at, cudaDataType type, std::int64_t count = 1)
      : Place(is_of_host ? at : running.read(at, count, blas::size_of(Type(type))), type, count) {}
  // Of the host.
  Place(const void* at, cudaDataType type, std::int64_t count) {
    const auto size = static_cast<std::int64_t>(blas::size_of(Type(type)));
    for (std::int64_t i = 0; i < count; ++i) {
      const auto number = blas::load_one<DoubleComplex>(Type(type), static_cast<const char*>(at) + i * size);
      if constexpr (std::is_floating_point_v<T>)
        numbers.push_back(static_cast<T>(number.real()));
      else
        numbers.push_back(T(number));
    }
  }
  static void put(Running& running, bool is_of_host, void* at, cudaDataType type, const std::vector<T>& from) {
    std::vector<DoubleComplex> wide(from.begin(), from.end());
    const auto count = static_cast<std::int64_t>(wide.size());
    blas::store(Type(type), wide.data(), count, is_of_host ? at : running.write(at, count, blas::size_of(Type(type))));
  }

  std::vector<T> numbers;
};

template <class T>
cublasStatus_t rotg_in(const Call& call, void* a, void* b, cudaDataType type, void* c, void* s,
                       cudaDataType type_factors) {
  const bool is_of_host = call.has_host_pointers();
  return call.enqueue_with_answer(cost_of<T>(1, 10, 8), [=](Running& running) {
    T x = Place<T>(running, is_of_host, a, type).numbers[0], y = Place<T>(running, is_of_host, b, type).numbers[0];
    Real<T> cosine{};
    T sine{};
    make_rotation(x, y, cosine, sine);
    Place<T>::put(running, is_of_host, a, type, {x});
    Place<T>::put(running, is_of_host, b, type, {y});
    Place<T>::put(running, is_of_host, c, type_factors, {T(cosine)});
    Place<T>::put(running, is_of_host, s, type_factors, {sine});
  });
}

struct AnyVector {
  void* at;
  cudaDataType type;
  std::int64_t step;
};

template <class T>
cublasStatus_t rotm_in(const Call& call, std::int64_t n, const AnyVector& x, const AnyVector& y, const void* parameters,
                       cudaDataType type_parameters) {
  const bool is_of_host = call.has_host_pointers();
  std::vector<T> own;
  if (is_of_host) own = Place<T>(parameters, type_parameters, 5).numbers;
  return call.enqueue(cost_of<T>(n, 6, 4), [=](Running& running) {
    const auto given = is_of_host ? own : Place<T>(running, false, parameters, type_parameters, 5).numbers;
    const auto h = ModifiedRotation<T>::of(given.data());
    if (h.flag == T{-2}) return;
    auto a = load(running, Type(x.type), n, x.at, x.step), b = load(running, Type(y.type), n, y.at, y.step);
    for (std::size_t k = 0; k < a.size(); ++k) {
      const T u = static_cast<T>(a[k].real()), v = static_cast<T>(b[k].real());
      a[k] = h.h11 * u + h.h12 * v;
      b[k] = h.h21 * u + h.h22 * v;
    }
    store(running, Type(x.type), a, x.at, x.step);
    store(running, Type(y.type), b, y.at, y.step);
  });
}

struct AnyNumber {
  void* at;
  cudaDataType type;
};

template <class T>
cublasStatus_t rotmg_in(const Call& call, const AnyNumber& d1, const AnyNumber& d2, const AnyNumber& x1, const void* y1,
                        cudaDataType type_y1, const AnyNumber& parameters) {
  const bool is_of_host = call.has_host_pointers();
  return call.enqueue_with_answer(cost_of<T>(1, 20, 9), [=](Running& running) {
    const auto get = [&](const AnyNumber& from, std::int64_t count = 1) {
      return Place<T>(running, is_of_host, from.at, from.type, count).numbers;
    };
    auto d = get(d1), e = get(d2), x = get(x1), h = get(parameters, 5);
    const T y = Place<T>(running, is_of_host, y1, type_y1).numbers[0];
    make_modified(d[0], e[0], x[0], y).store(h.data());
    Place<T>::put(running, is_of_host, d1.at, d1.type, d);
    Place<T>::put(running, is_of_host, d2.at, d2.type, e);
    Place<T>::put(running, is_of_host, x1.at, x1.type, x);
    Place<T>::put(running, is_of_host, parameters.at, parameters.type, h);
  });
}

}  // namespace

cublasStatus_t rotg_ex(const Call& call, void* a, void* b, cudaDataType type, void* c, void* s,
                       cudaDataType type_factors, cudaDataType execution) {
  if (!a || !b || !c || !s) return CUBLAS_STATUS_INVALID_VALUE;
  const bool is_complex = is_complex_type(type);
  if (!are_known({type, type_factors}) ||
      !(is_complex ? is_complex_type(type_factors) : are_real({type, type_factors})))
    return call.unsupported("with these types");
  switch (execution) {
    case CUDA_R_32F:
      if (!is_complex) return rotg_in<float>(call, a, b, type, c, s, type_factors);
      break;
    case CUDA_R_64F:
      if (!is_complex) return rotg_in<double>(call, a, b, type, c, s, type_factors);
      break;
    case CUDA_C_32F:
      if (is_complex) return rotg_in<Complex>(call, a, b, type, c, s, type_factors);
      break;
    case CUDA_C_64F:
      if (is_complex) return rotg_in<DoubleComplex>(call, a, b, type, c, s, type_factors);
      break;
    default:
      break;
  }
  return call.unsupported("with these types");
}

cublasStatus_t rotm_ex(const Call& call, std::int64_t n, void* x, cudaDataType type_x, std::int64_t incx, void* y,
                       cudaDataType type_y, std::int64_t incy, const void* parameters, cudaDataType type_parameters,
                       cudaDataType execution) {
  if (!parameters) return CUBLAS_STATUS_INVALID_VALUE;
  if (!are_real({type_x, type_y, type_parameters}) || (execution != CUDA_R_32F && execution != CUDA_R_64F))
    return call.unsupported("with these types");
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  const AnyVector first{x, type_x, incx}, second{y, type_y, incy};
  if (execution == CUDA_R_64F) return rotm_in<double>(call, n, first, second, parameters, type_parameters);
  return rotm_in<float>(call, n, first, second, parameters, type_parameters);
}

cublasStatus_t rotmg_ex(const Call& call, void* d1, cudaDataType type_d1, void* d2, cudaDataType type_d2, void* x1,
                        cudaDataType type_x1, const void* y1, cudaDataType type_y1, void* parameters,
                        cudaDataType type_parameters, cudaDataType execution) {
  if (!d1 || !d2 || !x1 || !y1 || !parameters) return CUBLAS_STATUS_INVALID_VALUE;
  if (!are_real({type_d1, type_d2, type_x1, type_y1, type_parameters}) ||
      (execution != CUDA_R_32F && execution != CUDA_R_64F))
    return call.unsupported("with these types");
  const AnyNumber first{d1, type_d1}, second{d2, type_d2}, x{x1, type_x1}, out{parameters, type_parameters};
  if (execution == CUDA_R_64F) return rotmg_in<double>(call, first, second, x, y1, type_y1, out);
  return rotmg_in<float>(call, first, second, x, y1, type_y1, out);
}

}  // namespace nvmlkit::cublas::functions
