// Level 1 of any types.
#include "libraries/cublas/functions/vectors.hpp"

#include <cstring>

#include "libraries/cublas/functions/any_types.hpp"

namespace nvmlkit::cublas::functions {
namespace {

cublasStatus_t answer(const Call& call, Cost cost, void* result, cudaDataType type, auto work) {
  const bool is_of_host = call.has_host_pointers();
  return call.enqueue_with_answer(cost, [=](Running& running) {
    const DoubleComplex value = work(running);
    blas::store(Type(type), &value, 1, is_of_host ? result : running.write(result, 1, blas::size_of(Type(type))));
  });
}

cublasStatus_t any_dot_ex(const Call& call, bool conjugates, std::int64_t n, const void* x, cudaDataType type_x,
                          std::int64_t incx, const void* y, cudaDataType type_y, std::int64_t incy, void* result,
                          cudaDataType type) {
  if (!result) return CUBLAS_STATUS_INVALID_VALUE;
  if (!are_known({type_x, type_y, type})) return call.unsupported("with these types");
  return answer(call, cost_of<double>(n, 2, 2), result, type, [=](Running& running) {
    const auto a = load(running, Type(type_x), n, x, incx), b = load(running, Type(type_y), n, y, incy);
    DoubleComplex sum;
    for (std::size_t k = 0; k < a.size(); ++k) sum += (conjugates ? std::conj(a[k]) : a[k]) * b[k];
    return sum;
  });
}

}  // namespace

cublasStatus_t dot_ex(const Call& call, std::int64_t n, const void* x, cudaDataType type_x, std::int64_t incx,
                      const void* y, cudaDataType type_y, std::int64_t incy, void* result, cudaDataType type_result,
                      cudaDataType) {
  return any_dot_ex(call, false, n, x, type_x, incx, y, type_y, incy, result, type_result);
}
cublasStatus_t dotc_ex(const Call& call, std::int64_t n, const void* x, cudaDataType type_x, std::int64_t incx,
                       const void* y, cudaDataType type_y, std::int64_t incy, void* result, cudaDataType type_result,
                       cudaDataType) {
  return any_dot_ex(call, true, n, x, type_x, incx, y, type_y, incy, result, type_result);
}

cublasStatus_t axpy_ex(const Call& call, std::int64_t n, const void* alpha, cudaDataType type_alpha, const void* x,
                       cudaDataType type_x, std::int64_t incx, void* y, cudaDataType type_y, std::int64_t incy,
                       cudaDataType) {
  if (!are_known({type_alpha, type_x, type_y})) return call.unsupported("with these types");
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  if (!alpha) return CUBLAS_STATUS_INVALID_VALUE;
  const AnyPlace factor(call, alpha, type_alpha);
  return call.enqueue(cost_of<double>(n, 2, 3), [=](Running& running) {
    const auto by = factor.get(running);
    const auto a = load(running, Type(type_x), n, x, incx);
    auto b = load(running, Type(type_y), n, y, incy);
    if (by == decltype(by){}) return;
    for (std::size_t k = 0; k < a.size(); ++k) b[k] += by * a[k];
    store(running, Type(type_y), b, y, incy);
  });
}

cublasStatus_t scal_ex(const Call& call, std::int64_t n, const void* alpha, cudaDataType type_alpha, void* x,
                       cudaDataType type_x, std::int64_t incx, cudaDataType) {
  if (!alpha) return CUBLAS_STATUS_INVALID_VALUE;
  if (!are_known({type_alpha, type_x})) return call.unsupported("with these types");
  if (n <= 0 || incx <= 0) return CUBLAS_STATUS_SUCCESS;
  const AnyPlace factor(call, alpha, type_alpha);
  return call.enqueue(cost_of<double>(n, 1, 2), [=](Running& running) {
    const auto by = factor.get(running);
    auto a = load(running, Type(type_x), n, x, incx);
    for (auto& v : a) v *= by;
    store(running, Type(type_x), a, x, incx);
  });
}

cublasStatus_t nrm2_ex(const Call& call, std::int64_t n, const void* x, cudaDataType type_x, std::int64_t incx,
                       void* result, cudaDataType type_result, cudaDataType) {
  if (!result) return CUBLAS_STATUS_INVALID_VALUE;
  if (!are_known({type_x, type_result})) return call.unsupported("with these types");
  return answer(call, cost_of<double>(n, 2, 1), result, type_result, [=](Running& running) {
    double sum = 0;
    if (incx > 0)
      for (const auto& v : load(running, Type(type_x), n, x, incx)) sum += std::norm(v);
    return DoubleComplex(std::sqrt(sum));
  });
}

cublasStatus_t asum_ex(const Call& call, std::int64_t n, const void* x, cudaDataType type_x, std::int64_t incx,
                       void* result, cudaDataType type_result, cudaDataType) {
  if (!result) return CUBLAS_STATUS_INVALID_VALUE;
  if (!are_known({type_x, type_result})) return call.unsupported("with these types");
  return answer(call, cost_of<double>(n, 1, 1), result, type_result, [=](Running& running) {
    double sum = 0;
    if (incx > 0)
      for (const auto v : load(running, Type(type_x), n, x, incx)) sum += size_of_element(v);
    return DoubleComplex(sum);
  });
}

cublasStatus_t copy_ex(const Call& call, std::int64_t n, const void* x, cudaDataType type_x, std::int64_t incx, void* y,
                       cudaDataType type_y, std::int64_t incy) {
  if (!are_known({type_x, type_y}) || type_x != type_y) return call.unsupported("with these types");
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  return call.enqueue(cost_of<double>(n, 0, 2), [=](Running& running) {
    store(running, Type(type_y), load(running, Type(type_x), n, x, incx), y, incy);
  });
}

cublasStatus_t swap_ex(const Call& call, std::int64_t n, void* x, cudaDataType type_x, std::int64_t incx, void* y,
                       cudaDataType type_y, std::int64_t incy) {
  if (!are_known({type_x, type_y}) || type_x != type_y) return call.unsupported("with these types");
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  return call.enqueue(cost_of<double>(n, 0, 4), [=](Running& running) {
    const auto a = load(running, Type(type_x), n, x, incx), b = load(running, Type(type_y), n, y, incy);
    store(running, Type(type_x), b, x, incx);
    store(running, Type(type_y), a, y, incy);
  });
}

cublasStatus_t rot_ex(const Call& call, std::int64_t n, void* x, cudaDataType type_x, std::int64_t incx, void* y,
                      cudaDataType type_y, std::int64_t incy, const void* c, const void* s, cudaDataType type_factors,
                      cudaDataType) {
  if (!c || !s) return CUBLAS_STATUS_INVALID_VALUE;
  if (!are_known({type_x, type_y, type_factors})) return call.unsupported("with these types");
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  const AnyPlace cosine(call, c, type_factors), sine(call, s, type_factors);
  return call.enqueue(cost_of<double>(n, 6, 4), [=](Running& running) {
    const auto co = cosine.get(running).real();
    const auto si = sine.get(running);
    auto a = load(running, Type(type_x), n, x, incx), b = load(running, Type(type_y), n, y, incy);
    for (std::size_t k = 0; k < a.size(); ++k) {
      const auto u = a[k], v = b[k];
      a[k] = co * u + si * v;
      b[k] = co * v - std::conj(si) * u;
    }
    store(running, Type(type_x), a, x, incx);
    store(running, Type(type_y), b, y, incy);
  });
}

cublasStatus_t extreme_ex(const Call& call, bool is_largest, std::int64_t n, const void* x, cudaDataType type,
                          std::int64_t incx, void* result, std::size_t size_of_result) {
  if (!result) return CUBLAS_STATUS_INVALID_VALUE;
  if (!are_known({type})) return call.unsupported("with these types");
  const bool is_of_host = call.has_host_pointers();
  return call.enqueue_with_answer(cost_of<double>(n, 1, 1), [=](Running& running) {
    std::int64_t found = 0;
    double best = 0;
    const auto numbers = n > 0 && incx > 0 ? load(running, Type(type), n, x, incx) : Numbers();
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const double size = size_of_element(numbers[k]);
      if (k > 0 && (is_largest ? !(size > best) : !(size < best))) continue;
      found = static_cast<std::int64_t>(k) + 1;
      best = size;
    }
    std::memcpy(is_of_host ? result : running.write(result, 1, size_of_result), &found, size_of_result);
  });
}

}  // namespace nvmlkit::cublas::functions
