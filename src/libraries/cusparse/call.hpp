// One call of the library: its handle, its name, work that it hands to the stream.
#pragma once

#include <utility>

#include "libraries/blas/convert.hpp"
#include "libraries/common/guarded.hpp"
#include "libraries/common/kernel.hpp"
#include "libraries/common/unsupported.hpp"
#include "libraries/cusparse/types.hpp"

namespace nvmlkit::cusparse {

using libraries::Cost;
using libraries::Running;

struct Call {
  Handle& handle;
  const char* name;

  // Done when the stream comes to it.
  template <class Work>
  cusparseStatus_t enqueue(Cost cost, Work work) const {
    return status_of(libraries::enqueue(*handle.driver, handle.stream, name, cost, std::move(work)));
  }
  cusparseStatus_t wait() const { return status_of(handle.driver->wait_for_stream(handle.stream)); }
  // The same for work that answers through memory of the host: it is done when the call returns.
  template <class Work>
  cusparseStatus_t enqueue_and_wait(Cost cost, Work work) const {
    const auto status = enqueue(cost, std::move(work));
    return status == CUSPARSE_STATUS_SUCCESS ? wait() : status;
  }
  template <class Work>
  cusparseStatus_t enqueue_with_answer(Cost cost, Work work) const {
    return has_host_pointers() ? enqueue_and_wait(cost, std::move(work)) : enqueue(cost, std::move(work));
  }
  bool is_captured() const {
    auto status = cuda::CU_STREAM_CAPTURE_STATUS_NONE;
    return handle.driver->is_capturing(handle.stream, &status) == cuda::CUDA_SUCCESS &&
           status == cuda::CU_STREAM_CAPTURE_STATUS_ACTIVE;
  }
  bool has_host_pointers() const { return handle.pointer_mode == CUSPARSE_POINTER_MODE_HOST; }

  // What is right, and not simulated: the line names it.
  cusparseStatus_t unsupported(const char* what) const {
    libraries::note_unsupported(name, what);
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  }

  static cusparseStatus_t status_of(libraries::CUresult result);
};

inline blas::Type type_of(cudaDataType type) { return static_cast<blas::Type>(type); }

// A scalar that a call reads: of the host at once, of the device when its work runs.
class Scalar {
 public:
  Scalar(const Call& call, const void* pointer, cudaDataType type)
      : type_(type_of(type)), address_(call.has_host_pointers() ? nullptr : pointer) {
    if (pointer && !address_) value_ = blas::load_one<DoubleComplex>(type_, pointer);
  }
  template <class T>
  T get(Running& running) const {
    if (address_) return blas::load_one<T>(type_, running.read(address_, 1, blas::size_of(type_)));
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(value_.real());
    else
      return T(static_cast<typename T::value_type>(value_.real()), static_cast<typename T::value_type>(value_.imag()));
  }

 private:
  blas::Type type_;
  const void* address_;
  DoubleComplex value_ = 0;
};

// A place that a call answers in: of the host or of the device.
template <class T>
class Answer {
 public:
  Answer(const Call& call, T* pointer) : is_of_host_(call.has_host_pointers()), pointer_(pointer) {}
  void set(Running& running, T value) const { *(is_of_host_ ? pointer_ : running.write(pointer_, 1)) = value; }

 private:
  bool is_of_host_;
  T* pointer_;
};

// No exception crosses the ABI.
template <class Work>
cusparseStatus_t without_handle(Work work) noexcept {
  return libraries::guarded<CUSPARSE_STATUS_ALLOC_FAILED, CUSPARSE_STATUS_INTERNAL_ERROR>(work);
}
template <class Work>
cusparseStatus_t with(Handle* handle, const char* name, Work work) noexcept {
  if (!is_object(handle)) return CUSPARSE_STATUS_NOT_INITIALIZED;
  return without_handle([&] { return work(Call{*handle, name}); });
}

// Prints the line of NVIDIA's library.
cusparseStatus_t refuse_null(const char* function, int number, const char* argument);

using libraries::unsupported;

}  // namespace nvmlkit::cusparse
