#include "libraries/cusolver/functions/generic_spectrum.hpp"

#include "libraries/cusolver/functions/data_types.hpp"
#include "libraries/cusolver/functions/ranges.hpp"
#include "libraries/cusolver/functions/singular.hpp"

namespace nvmlkit::cusolver::functions {
namespace {

// Types of a decomposition: the values are real, the vectors are of the matrix.
bool has_real(DataType type, DataType values, DataType compute) { return values == real_of(type) && compute == type; }

bool is_leading(signed char job) { return job == 'S' || job == 'N'; }

// As documented: the oversampled rank is at most that of the matrix.
bool has_rank(Size m, Size n, Size rank, Size oversampling, Size iterations) {
  return rank >= 0 && oversampling >= 0 && iterations >= 0 && rank <= std::min(m, n) &&
         oversampling <= std::min(m, n) - rank;
}

template <class R>
Range<R> range_of(cusolverEigRange_t kind, const void* low, const void* high, Size first, Size last) {
  const auto bound = [&](const void* at) {
    return kind == CUSOLVER_EIG_RANGE_V && at ? *static_cast<const R*>(at) : R{};
  };
  return {kind, bound(low), bound(high), first, last};
}

}  // namespace

cusolverStatus_t xsyevd_size(const Call&, Parameters* parameters, cusolverEigMode_t job, cublasFillMode_t uplo, Size n,
                             DataType type, const void*, Size lda, DataType w_type, const void*, DataType compute,
                             std::size_t* device, std::size_t* host) {
  return tell_sizes(device, host, type, n,
                    are_right(parameters) && letter_of(job) && letter_of(uplo) && has_real(type, w_type, compute) &&
                        has_shape(n, n, lda));
}
cusolverStatus_t xsyevd(const Call& call, Parameters* parameters, cusolverEigMode_t job, cublasFillMode_t uplo, Size n,
                        DataType type, void* a, Size lda, DataType w_type, void* w, DataType compute, void*,
                        std::size_t, void*, std::size_t, int* info) {
  if (!are_right(parameters) || !has_real(type, w_type, compute)) return CUSOLVER_STATUS_INVALID_VALUE;
  return for_type(type, [&]<class T>(T t) {
    return syevd<T>(call, job, uplo, n, as(t, a), lda, static_cast<Real<T>*>(w), nullptr, 0, info);
  });
}

cusolverStatus_t xsyev_batched_size(const Call& call, Parameters* parameters, cusolverEigMode_t job,
                                    cublasFillMode_t uplo, Size n, DataType type, const void* a, Size lda,
                                    DataType w_type, const void* w, DataType compute, std::size_t* device,
                                    std::size_t* host, Size count) {
  if (count < 0) return CUSOLVER_STATUS_INVALID_VALUE;
  return xsyevd_size(call, parameters, job, uplo, n, type, a, lda, w_type, w, compute, device, host);
}
cusolverStatus_t xsyev_batched(const Call& call, Parameters* parameters, cusolverEigMode_t job, cublasFillMode_t uplo,
                               Size n, DataType type, void* a, Size lda, DataType w_type, void* w, DataType compute,
                               void*, std::size_t, void*, std::size_t, int* infos, Size count) {
  if (!are_right(parameters) || !has_real(type, w_type, compute)) return CUSOLVER_STATUS_INVALID_VALUE;
  return for_type(type, [&]<class T>(T t) {
    return syev_each<T>(call, job, uplo, n, as(t, a), lda, static_cast<Real<T>*>(w), infos, count);
  });
}

cusolverStatus_t xsyevdx_size(const Call& call, Parameters* parameters, cusolverEigMode_t job, cusolverEigRange_t kind,
                              cublasFillMode_t uplo, Size n, DataType type, const void* a, Size lda, void* low,
                              void* high, Size first, Size last, Size*, DataType w_type, const void* w,
                              DataType compute, std::size_t* device, std::size_t* host) {
  const auto is_right = real_of(type) == CUDA_R_32F ? range_of<float>(kind, low, high, first, last).is_right(n)
                                                    : range_of<double>(kind, low, high, first, last).is_right(n);
  if (!is_right) return CUSOLVER_STATUS_INVALID_VALUE;
  return xsyevd_size(call, parameters, job, uplo, n, type, a, lda, w_type, w, compute, device, host);
}
cusolverStatus_t xsyevdx(const Call& call, Parameters* parameters, cusolverEigMode_t job, cusolverEigRange_t kind,
                         cublasFillMode_t uplo, Size n, DataType type, void* a, Size lda, void* low, void* high,
                         Size first, Size last, Size* found, DataType w_type, void* w, DataType compute, void*,
                         std::size_t, void*, std::size_t, int* info) {
  if (!are_right(parameters) || !has_real(type, w_type, compute)) return CUSOLVER_STATUS_INVALID_VALUE;
  return for_type(type, [&]<class T>(T t) {
    return syevdx_of<T>(call, job, range_of<Real<T>>(kind, low, high, first, last), uplo, n, as(t, a), lda, found,
                        static_cast<Real<T>*>(w), info);
  });
}

cusolverStatus_t xgeev_size(const Call&, Parameters* parameters, cusolverEigMode_t left, cusolverEigMode_t right,
                            Size n, DataType type, const void*, Size lda, DataType w_type, const void*,
                            DataType vl_type, const void*, Size, DataType vr_type, const void*, Size, DataType compute,
                            std::size_t* device, std::size_t* host) {
  return tell_sizes(device, host, type, n,
                    are_right(parameters) && left == CUSOLVER_EIG_MODE_NOVECTOR && letter_of(right) &&
                        real_of(w_type) == real_of(type) && (real_of(type) == type || w_type == type) &&
                        vl_type == type && vr_type == type && compute == type && has_shape(n, n, lda));
}
cusolverStatus_t xgeev(const Call& call, Parameters* parameters, cusolverEigMode_t left, cusolverEigMode_t right,
                       Size n, DataType type, void* a, Size lda, DataType w_type, void* w, DataType vl_type, void*,
                       Size, DataType vr_type, void* vr, Size ldvr, DataType compute, void*, std::size_t, void*,
                       std::size_t, int* info) {
  const char letter = letter_of(right);
  if (!are_right(parameters) || left != CUSOLVER_EIG_MODE_NOVECTOR || !letter || real_of(w_type) != real_of(type) ||
      (real_of(type) != type && w_type != type) || vl_type != type || vr_type != type || compute != type ||
      !is_array(w, n) || !info)
    return CUSOLVER_STATUS_INVALID_VALUE;
  return for_type(type, [&]<class T>(T zero) {
    using R = Real<T>;
    const auto matrix = square(as(zero, a), n, lda), vectors = square(as(zero, vr), n, ldvr);
    if (!matrix.is_right() || (letter == 'V' && !vectors.is_right())) return CUSOLVER_STATUS_INVALID_VALUE;
    return call.enqueue(cost_of<T>(25 * cube(n), n * n), [=](Running& running) {
      std::vector<std::complex<R>> values(static_cast<std::size_t>(n));
      T none{};
      *running.write(info, 1) =
          blas::geev<T>('N', letter, matrix.n(), matrix.write(running), matrix.ld(), values.data(), &none, 1,
                        letter == 'V' ? vectors.write(running) : &none, letter == 'V' ? vectors.ld() : 1);
      if (w_type != real_of(type)) {
        std::copy(values.begin(), values.end(), running.write(static_cast<std::complex<R>*>(w), n));
        return;
      }
      R* const parts = running.write(static_cast<R*>(w), 2 * n);
      for (Size i = 0; i < n; ++i) {
        parts[i] = values[static_cast<std::size_t>(i)].real();
        parts[n + i] = values[static_cast<std::size_t>(i)].imag();
      }
    });
  });
}

cusolverStatus_t xgesvd_size(const Call&, Parameters* parameters, signed char, signed char, Size m, Size n,
                             DataType type, const void*, Size lda, DataType s_type, const void*, DataType u_type,
                             const void*, Size, DataType vt_type, const void*, Size, DataType compute,
                             std::size_t* device, std::size_t* host) {
  return tell_sizes(device, host, type, m,
                    are_right(parameters) && m >= n && has_real(type, s_type, compute) && u_type == type &&
                        vt_type == type && has_shape(m, n, lda));
}
cusolverStatus_t xgesvd(const Call& call, Parameters* parameters, signed char jobu, signed char jobvt, Size m, Size n,
                        DataType type, void* a, Size lda, DataType s_type, void* s, DataType u_type, void* u, Size ldu,
                        DataType vt_type, void* vt, Size ldvt, DataType compute, void*, std::size_t, void*, std::size_t,
                        int* info) {
  if (!are_right(parameters) || !has_real(type, s_type, compute) || u_type != type || vt_type != type)
    return CUSOLVER_STATUS_INVALID_VALUE;
  return for_type(type, [&]<class T>(T t) {
    return gesvd<T>(call, jobu, jobvt, m, n, as(t, a), lda, static_cast<Real<T>*>(s), as(t, u), ldu, as(t, vt), ldvt,
                    nullptr, 0, nullptr, info);
  });
}

cusolverStatus_t xgesvdp_size(const Call&, Parameters* parameters, cusolverEigMode_t job, int, Size m, Size n,
                              DataType type, const void*, Size lda, DataType s_type, const void*, DataType u_type,
                              const void*, Size, DataType v_type, const void*, Size, DataType compute,
                              std::size_t* device, std::size_t* host) {
  return tell_sizes(device, host, type, std::max(m, n),
                    are_right(parameters) && letter_of(job) && has_real(type, s_type, compute) && u_type == type &&
                        v_type == type && has_shape(m, n, lda));
}
cusolverStatus_t xgesvdp(const Call& call, Parameters* parameters, cusolverEigMode_t job, int economy, Size m, Size n,
                         DataType type, void* a, Size lda, DataType s_type, void* s, DataType u_type, void* u, Size ldu,
                         DataType v_type, void* v, Size ldv, DataType compute, void*, std::size_t, void*, std::size_t,
                         int* info, double* perturbation) {
  if (!are_right(parameters) || !has_real(type, s_type, compute) || u_type != type || v_type != type || !perturbation)
    return CUSOLVER_STATUS_INVALID_VALUE;
  *perturbation = 0;
  return for_type(type, [&]<class T>(T t) {
    return svd<T>(call, job, economy != 0, m, n, as(t, a), lda, static_cast<Real<T>*>(s), as(t, u), ldu, as(t, v), ldv,
                  info, [](const std::vector<T>&, const Decomposition<T>&) {});
  });
}

cusolverStatus_t xgesvdr_size(const Call&, Parameters* parameters, signed char jobu, signed char jobv, Size m, Size n,
                              Size rank, Size oversampling, Size iterations, DataType type, const void*, Size lda,
                              DataType s_type, const void*, DataType u_type, const void*, Size, DataType v_type,
                              const void*, Size, DataType compute, std::size_t* device, std::size_t* host) {
  return tell_sizes(device, host, type, std::max(m, n),
                    are_right(parameters) && is_leading(jobu) && is_leading(jobv) && has_real(type, s_type, compute) &&
                        u_type == type && v_type == type && has_shape(m, n, lda) &&
                        has_rank(m, n, rank, oversampling, iterations));
}
cusolverStatus_t xgesvdr(const Call& call, Parameters* parameters, signed char jobu, signed char jobv, Size m, Size n,
                         Size rank, Size oversampling, Size iterations, DataType type, void* a, Size lda,
                         DataType s_type, void* s, DataType u_type, void* u, Size ldu, DataType v_type, void* v,
                         Size ldv, DataType compute, void*, std::size_t, void*, std::size_t, int* info) {
  if (!are_right(parameters) || !has_real(type, s_type, compute) || u_type != type || v_type != type ||
      !is_leading(jobu) || !is_leading(jobv) || !has_rank(m, n, rank, oversampling, iterations) || !is_array(s, rank) ||
      !info)
    return CUSOLVER_STATUS_INVALID_VALUE;
  return for_type(type, [&]<class T>(T t) {
    const Matrix<T> matrix{as(t, a), m, n, lda}, left{as(t, u), m, jobu == 'S' ? rank : 0, ldu},
        right{as(t, v), n, jobv == 'S' ? rank : 0, ldv};
    if (!matrix.is_right() || (jobu == 'S' && !left.is_right()) || (jobv == 'S' && !right.is_right()))
      return CUSOLVER_STATUS_INVALID_VALUE;
    const auto work = 20.0 * static_cast<double>(m * n) * static_cast<double>(std::min(m, n));
    return call.enqueue(cost_of<T>(work, m * n * 2), [=](Running& running) {
      const Decomposition<T> found('S', matrix.copy(running), m, n);
      *running.write(info, 1) = found.info;
      std::copy_n(found.s.begin(), rank, running.write(static_cast<Real<T>*>(s), rank));
      if (jobu == 'S') found.put_u(left.write(running), m, rank, ldu);
      if (jobv == 'S') found.put_v(right.write(running), n, rank, ldv);
    });
  });
}

}  // namespace nvmlkit::cusolver::functions
