// cublasXt: matrices of the host, or of any GPU, whose products several GPUs compute. A call returns with its result.
#pragma once

#include <memory>
#include <vector>

#include "libraries/cublas/functions/batches.hpp"
#include "libraries/cublas/functions/gemm.hpp"
#include "libraries/cublas/functions/helpers.hpp"
#include "libraries/cublas/functions/symmetric.hpp"
#include "libraries/cublas/functions/updates.hpp"

namespace nvmlkit::cublas::functions {

cublasStatus_t xt_create(XtHandle** out);
cublasStatus_t xt_destroy(XtHandle* handle);
cublasStatus_t xt_boards(int count, const int* devices, int* boards);
cublasStatus_t xt_most_boards(int* boards);
cublasStatus_t xt_select(XtHandle* handle, int count, const int* devices);
cublasStatus_t xt_set_block(XtHandle* handle, int size);
cublasStatus_t xt_get_block(XtHandle* handle, int* size);
cublasStatus_t xt_set_pinning(XtHandle* handle, cublasXtPinnedMemMode_t mode);
cublasStatus_t xt_get_pinning(XtHandle* handle, cublasXtPinnedMemMode_t* mode);
// All work is the GPUs': these change no result.
cublasStatus_t xt_set_cpu_routine(XtHandle* handle, cublasXtBlasOp_t operation, cublasXtOpType_t type, void* routine);
cublasStatus_t xt_set_cpu_ratio(XtHandle* handle, cublasXtBlasOp_t operation, cublasXtOpType_t type, float ratio);

// A part of a product on one GPU: copies of its matrices, its work in the GPU's default stream, its result.
class Piece {
 public:
  Piece(XtGpu& gpu, const char* name);
  ~Piece();
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

  // A matrix in memory of the GPU, without gaps between its columns. Null where there is none.
  template <class T>
  T* bring(const T* from, std::int64_t rows, std::int64_t columns, std::int64_t ld) {
    return static_cast<T*>(bring(from, rows, columns, ld, sizeof(T)));
  }
  // The same, which the result goes back to.
  template <class T>
  T* bring_result(T* to, std::int64_t rows, std::int64_t columns, std::int64_t ld) {
    T* const here = bring<T>(to, rows, columns, ld);
    result_ = {here, to, rows, columns, ld, sizeof(T)};
    return here;
  }
  // Without numbers yet.
  template <class T>
  T* make(std::int64_t rows, std::int64_t columns) {
    return static_cast<T*>(allocate(rows, columns, sizeof(T)));
  }
  template <class Work>
  void run(Work work) {
    if (status_ == CUBLAS_STATUS_SUCCESS) status_ = work(call_);
  }
  cublasStatus_t finish();

 private:
  struct Result {
    const void* from = nullptr;
    void* to = nullptr;
    std::int64_t rows = 0, columns = 0, ld = 0;
    std::size_t size = 0;
  };
  void* allocate(std::int64_t rows, std::int64_t columns, std::size_t size);
  void* bring(const void* from, std::int64_t rows, std::int64_t columns, std::int64_t ld, std::size_t size);

  Call call_;
  cuda::CUcontext before_ = nullptr;
  cublasStatus_t status_ = CUBLAS_STATUS_SUCCESS;
  std::vector<cuda::CUdeviceptr> allocated_;
  Result result_;
};

inline std::int64_t least_ld(std::int64_t rows) { return std::max<std::int64_t>(1, rows); }

// make(piece, first, count) for a share of the rows or columns on each GPU; then all results.
template <class Make>
cublasStatus_t spread(XtHandle* handle, const char* name, std::size_t size, Make make) {
  if (!is_handle(handle) || handle->gpus.empty()) return CUBLAS_STATUS_NOT_INITIALIZED;
  std::vector<std::unique_ptr<Piece>> pieces;
  const auto all = static_cast<std::int64_t>(size), gpus = static_cast<std::int64_t>(handle->gpus.size());
  for (std::int64_t k = 0; k < gpus; ++k) {
    const auto first = all * k / gpus, count = all * (k + 1) / gpus - first;
    if (count == 0 && k > 0) continue;
    pieces.push_back(std::make_unique<Piece>(*handle->gpus[static_cast<std::size_t>(k)], name));
    make(*pieces.back(), first, count);
  }
  auto status = CUBLAS_STATUS_SUCCESS;
  while (!pieces.empty()) {  // the last one made the last context current
    const auto own = pieces.back()->finish();
    if (status == CUBLAS_STATUS_SUCCESS) status = own;
    pieces.pop_back();
  }
  return status;
}
// The whole on the first GPU.
template <class Make>
cublasStatus_t on_one(XtHandle* handle, const char* name, Make make) {
  if (!is_handle(handle) || handle->gpus.empty()) return CUBLAS_STATUS_NOT_INITIALIZED;
  Piece piece(*handle->gpus[0], name);
  make(piece);
  return piece.finish();
}

template <class T>
cublasStatus_t xt_gemm(XtHandle* handle, cublasOperation_t ta, cublasOperation_t tb, std::size_t m, std::size_t n,
                       std::size_t k, const T* alpha, const T* a, std::size_t lda, const T* b, std::size_t ldb,
                       const T* beta, T* c, std::size_t ldc) {
  if (!letter_of(ta) || !letter_of(tb) || !alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
  const auto rows = static_cast<std::int64_t>(m), depth = static_cast<std::int64_t>(k);
  const auto la = static_cast<std::int64_t>(lda), lb = static_cast<std::int64_t>(ldb),
             lc = static_cast<std::int64_t>(ldc);
  return spread(handle, "cublasXtgemm", n, [&](Piece& piece, std::int64_t first, std::int64_t count) {
    const bool is_plain = tb == CUBLAS_OP_N, a_is_plain = ta == CUBLAS_OP_N;
    const auto a_rows = a_is_plain ? rows : depth, b_rows = is_plain ? depth : count;
    const T* const own_a = piece.bring(a, a_rows, a_is_plain ? depth : rows, la);
    const T* const own_b = piece.bring(is_plain ? b + first * lb : b + first, b_rows, is_plain ? count : depth, lb);
    T* const own_c = piece.bring_result(c + first * lc, rows, count, lc);
    piece.run([&](const Call& call) {
      return gemm(call, ta, tb, rows, count, depth, alpha, own_a, least_ld(a_rows), own_b, least_ld(b_rows), beta,
                  own_c, least_ld(rows));
    });
  });
}

// A share of B and C beside the whole of A: columns where A is on the left, rows where it is on the right.
struct Share {
  std::int64_t rows, columns, offset_b, offset_c, order;
  Share(cublasSideMode_t side, std::size_t m, std::size_t n, std::size_t ldb, std::size_t ldc, std::int64_t first,
        std::int64_t count)
      : rows(side == CUBLAS_SIDE_LEFT ? static_cast<std::int64_t>(m) : count),
        columns(side == CUBLAS_SIDE_LEFT ? count : static_cast<std::int64_t>(n)),
        offset_b(side == CUBLAS_SIDE_LEFT ? first * static_cast<std::int64_t>(ldb) : first),
        offset_c(side == CUBLAS_SIDE_LEFT ? first * static_cast<std::int64_t>(ldc) : first),
        order(static_cast<std::int64_t>(side == CUBLAS_SIDE_LEFT ? m : n)) {}
};

// `bring_a(piece, order)` answers A in memory of the piece's GPU.
template <bool conjugates, class T, class BringA>
cublasStatus_t xt_any_symm(XtHandle* handle, const char* name, cublasSideMode_t side, cublasFillMode_t uplo,
                           std::size_t m, std::size_t n, const T* alpha, BringA bring_a, const T* b, std::size_t ldb,
                           const T* beta, T* c, std::size_t ldc) {
  if (!letter_of(side) || !letter_of(uplo) || !alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
  const auto make = [&](Piece& piece, std::int64_t first, std::int64_t count) {
    const Share part(side, m, n, ldb, ldc, first, count);
    const T* const own_a = bring_a(piece, part.order);
    const T* const own_b = piece.bring(b + part.offset_b, part.rows, part.columns, static_cast<std::int64_t>(ldb));
    T* const own_c = piece.bring_result(c + part.offset_c, part.rows, part.columns, static_cast<std::int64_t>(ldc));
    piece.run([&](const Call& call) {
      return any_symm(call, conjugates, side, uplo, part.rows, part.columns, alpha, own_a, least_ld(part.order), own_b,
                      least_ld(part.rows), beta, own_c, least_ld(part.rows));
    });
  };
  return spread(handle, name, side == CUBLAS_SIDE_LEFT ? n : m, make);
}
template <class T>
cublasStatus_t xt_symm(XtHandle* handle, cublasSideMode_t side, cublasFillMode_t uplo, std::size_t m, std::size_t n,
                       const T* alpha, const T* a, std::size_t lda, const T* b, std::size_t ldb, const T* beta, T* c,
                       std::size_t ldc) {
  const auto bring = [&](Piece& piece, auto order) {
    return piece.bring(a, order, order, static_cast<std::int64_t>(lda));
  };
  return xt_any_symm<false>(handle, "cublasXtsymm", side, uplo, m, n, alpha, bring, b, ldb, beta, c, ldc);
}
template <class T>
cublasStatus_t xt_hemm(XtHandle* handle, cublasSideMode_t side, cublasFillMode_t uplo, std::size_t m, std::size_t n,
                       const T* alpha, const T* a, std::size_t lda, const T* b, std::size_t ldb, const T* beta, T* c,
                       std::size_t ldc) {
  const auto bring = [&](Piece& piece, auto order) {
    return piece.bring(a, order, order, static_cast<std::int64_t>(lda));
  };
  return xt_any_symm<true>(handle, "cublasXthemm", side, uplo, m, n, alpha, bring, b, ldb, beta, c, ldc);
}
// A is symmetric and packed.
template <class T>
cublasStatus_t xt_spmm(XtHandle* handle, cublasSideMode_t side, cublasFillMode_t uplo, std::size_t m, std::size_t n,
                       const T* alpha, const T* packed, const T* b, std::size_t ldb, const T* beta, T* c,
                       std::size_t ldc) {
  const auto bring = [&](Piece& piece, std::int64_t order) {
    const auto size = order * (order + 1) / 2;
    const T* const own = piece.bring(packed, size, 1, least_ld(size));
    T* const full = piece.make<T>(order, order);
    piece.run([&](const Call& call) { return tpttr(call, uplo, order, own, full, least_ld(order)); });
    return full;
  };
  return xt_any_symm<false>(handle, "cublasXtspmm", side, uplo, m, n, alpha, bring, b, ldb, beta, c, ldc);
}

template <class T>
cublasStatus_t xt_trsm(XtHandle* handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t t,
                       cublasDiagType_t diagonal, std::size_t m, std::size_t n, const T* alpha, const T* a,
                       std::size_t lda, T* b, std::size_t ldb) {
  if (!letter_of(side) || !letter_of(uplo) || !letter_of(t) || !alpha) return CUBLAS_STATUS_INVALID_VALUE;
  const auto make = [&](Piece& piece, std::int64_t first, std::int64_t count) {
    const Share part(side, m, n, ldb, ldb, first, count);
    const T* const own_a = piece.bring(a, part.order, part.order, static_cast<std::int64_t>(lda));
    T* const own_b = piece.bring_result(b + part.offset_b, part.rows, part.columns, static_cast<std::int64_t>(ldb));
    piece.run([&](const Call& call) {
      return trsm(call, side, uplo, t, diagonal, part.rows, part.columns, alpha, own_a, least_ld(part.order), own_b,
                  least_ld(part.rows));
    });
  };
  return spread(handle, "cublasXttrsm", side == CUBLAS_SIDE_LEFT ? n : m, make);
}
template <class T>
cublasStatus_t xt_trmm(XtHandle* handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t t,
                       cublasDiagType_t diagonal, std::size_t m, std::size_t n, const T* alpha, const T* a,
                       std::size_t lda, const T* b, std::size_t ldb, T* c, std::size_t ldc) {
  if (!letter_of(side) || !letter_of(uplo) || !letter_of(t) || !alpha) return CUBLAS_STATUS_INVALID_VALUE;
  const auto make = [&](Piece& piece, std::int64_t first, std::int64_t count) {
    const Share part(side, m, n, ldb, ldc, first, count);
    const T* const own_a = piece.bring(a, part.order, part.order, static_cast<std::int64_t>(lda));
    const T* const own_b = piece.bring(b + part.offset_b, part.rows, part.columns, static_cast<std::int64_t>(ldb));
    T* const own_c = piece.bring_result(c + part.offset_c, part.rows, part.columns, static_cast<std::int64_t>(ldc));
    piece.run([&](const Call& call) {
      return trmm(call, side, uplo, t, diagonal, part.rows, part.columns, alpha, own_a, least_ld(part.order), own_b,
                  least_ld(part.rows), own_c, least_ld(part.rows));
    });
  };
  return spread(handle, "cublasXttrmm", side == CUBLAS_SIDE_LEFT ? n : m, make);
}

// Updates of a triangle: multiply(call, n, k, a, b, ld, c) on one GPU. `b` is null where there is one matrix only.
template <class T, class Multiply>
cublasStatus_t xt_update(XtHandle* handle, const char* name, cublasOperation_t t, std::size_t n, std::size_t k,
                         const T* a, std::size_t lda, const T* b, std::size_t ldb, bool has_b, T* c, std::size_t ldc,
                         Multiply multiply) {
  if (!letter_of(t)) return CUBLAS_STATUS_INVALID_VALUE;
  return on_one(handle, name, [&](Piece& piece) {
    const auto order = static_cast<std::int64_t>(n), depth = static_cast<std::int64_t>(k);
    const auto rows = t == CUBLAS_OP_N ? order : depth, columns = t == CUBLAS_OP_N ? depth : order;
    const T* const own_a = piece.bring(a, rows, columns, static_cast<std::int64_t>(lda));
    const T* const own_b = has_b ? piece.bring(b, rows, columns, static_cast<std::int64_t>(ldb)) : nullptr;
    T* const own_c = piece.bring_result(c, order, order, static_cast<std::int64_t>(ldc));
    piece.run([&](const Call& call) { return multiply(call, order, depth, own_a, own_b, least_ld(rows), own_c); });
  });
}

#define NVMLKIT_XT_UPDATE(name, S)                                                                                     \
  template <class T>                                                                                                   \
  cublasStatus_t xt_##name(XtHandle* handle, cublasFillMode_t uplo, cublasOperation_t t, std::size_t n, std::size_t k, \
                           const S* alpha, const T* a, std::size_t lda, const S* beta, T* c, std::size_t ldc) {        \
    const auto work = [&](const Call& call, auto order, auto depth, const T* x, const T*, auto ld, T* y) {             \
      return name(call, uplo, t, order, depth, alpha, x, ld, beta, y, least_ld(order));                                \
    };                                                                                                                 \
    return xt_update<T>(handle, "cublasXt" #name, t, n, k, a, lda, nullptr, 0, false, c, ldc, work);                   \
  }
NVMLKIT_XT_UPDATE(syrk, T)
NVMLKIT_XT_UPDATE(herk, Real<T>)
#undef NVMLKIT_XT_UPDATE

#define NVMLKIT_XT_UPDATE_BY_TWO(name, S)                                                                              \
  template <class T>                                                                                                   \
  cublasStatus_t xt_##name(XtHandle* handle, cublasFillMode_t uplo, cublasOperation_t t, std::size_t n, std::size_t k, \
                           const T* alpha, const T* a, std::size_t lda, const T* b, std::size_t ldb, const S* beta,    \
                           T* c, std::size_t ldc) {                                                                    \
    const auto work = [&](const Call& call, auto order, auto depth, const T* x, const T* z, auto ld, T* y) {           \
      return name(call, uplo, t, order, depth, alpha, x, ld, z, ld, beta, y, least_ld(order));                         \
    };                                                                                                                 \
    return xt_update<T>(handle, "cublasXt" #name, t, n, k, a, lda, b, ldb, true, c, ldc, work);                        \
  }
NVMLKIT_XT_UPDATE_BY_TWO(syr2k, T)
NVMLKIT_XT_UPDATE_BY_TWO(her2k, Real<T>)
NVMLKIT_XT_UPDATE_BY_TWO(syrkx, T)
NVMLKIT_XT_UPDATE_BY_TWO(herkx, Real<T>)
#undef NVMLKIT_XT_UPDATE_BY_TWO

}  // namespace nvmlkit::cublas::functions
