// OpenBLAS reads one element of a complex vector too many: gemv, hemv and trsv load the one behind the last, at the
// distance of the increment, and do not use it. No memory need be there. A program's vector, or the last row of its
// matrix in a routine of LAPACK, may end where its memory ends. These calls (--wrap) get a copy with room behind it.
#include <cstddef>
#include <memory>
#include <new>

#include "libraries/blas/types.hpp"

namespace nvmlkit::blas {
namespace {

// The elements of a vector side by side. Without memory for it, or without a right increment: the vector itself.
template <class T>
class WithRoom {
 public:
  WithRoom(const T* x, int count, int increment) : count_(count), increment_(increment) {
    if (count < 1 || increment == 0) return;
    own_.reset(new (std::nothrow) T[static_cast<std::size_t>(count) + 1]{});
    if (own_)
      for (int i = 0; i < count; ++i) own_[static_cast<std::size_t>(i)] = x[place(i)];
  }
  explicit operator bool() const { return own_ != nullptr; }
  T* data() const { return own_.get(); }
  void give_back(T* x) const {
    for (int i = 0; i < count_; ++i) x[place(i)] = own_[static_cast<std::size_t>(i)];
  }

 private:
  // A negative increment begins with the element that is last in memory.
  std::ptrdiff_t place(int i) const {
    return (increment_ > 0 ? std::ptrdiff_t{i} : std::ptrdiff_t{i} - (count_ - 1)) * increment_;
  }

  int count_, increment_;
  std::unique_ptr<T[]> own_;
};

constexpr int kSideBySide = 1;

}  // namespace

extern "C" {
#define NVMLKIT_WRAP(T, x)                                                                                            \
  void __real_##x##gemv_(const char*, const int*, const int*, const T*, const T*, const int*, const T*, const int*,   \
                         const T*, T*, const int*);                                                                   \
  void __wrap_##x##gemv_(const char* t, const int* m, const int* n, const T* alpha, const T* a, const int* lda,       \
                         const T* vector, const int* increment, const T* beta, T* y, const int* incy) {               \
    const bool is_transposed = *t == 'T' || *t == 't' || *t == 'C' || *t == 'c';                                      \
    const WithRoom<T> own(vector, is_transposed ? *m : *n, *increment);                                               \
    __real_##x##gemv_(t, m, n, alpha, a, lda, own ? own.data() : vector, own ? &kSideBySide : increment, beta, y,     \
                      incy);                                                                                          \
  }                                                                                                                   \
  void __real_##x##hemv_(const char*, const int*, const T*, const T*, const int*, const T*, const int*, const T*, T*, \
                         const int*);                                                                                 \
  void __wrap_##x##hemv_(const char* uplo, const int* n, const T* alpha, const T* a, const int* lda, const T* vector, \
                         const int* increment, const T* beta, T* y, const int* incy) {                                \
    const WithRoom<T> own(vector, *n, *increment);                                                                    \
    __real_##x##hemv_(uplo, n, alpha, a, lda, own ? own.data() : vector, own ? &kSideBySide : increment, beta, y,     \
                      incy);                                                                                          \
  }                                                                                                                   \
  void __real_##x##trsv_(const char*, const char*, const char*, const int*, const T*, const int*, T*, const int*);    \
  void __wrap_##x##trsv_(const char* uplo, const char* t, const char* diag, const int* n, const T* a, const int* lda, \
                         T* vector, const int* increment) {                                                           \
    const WithRoom<T> own(vector, *n, *increment);                                                                    \
    __real_##x##trsv_(uplo, t, diag, n, a, lda, own ? own.data() : vector, own ? &kSideBySide : increment);           \
    if (own) own.give_back(vector);                                                                                   \
  }
NVMLKIT_WRAP(Complex, c)
NVMLKIT_WRAP(DoubleComplex, z)
#undef NVMLKIT_WRAP
}

}  // namespace nvmlkit::blas
