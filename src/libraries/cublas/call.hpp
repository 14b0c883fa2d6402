// One call of the library: its handle, its name, work that it hands to the stream.
#pragma once

#include <type_traits>
#include <utility>

#include "libraries/common/guarded.hpp"
#include "libraries/common/kernel.hpp"
#include "libraries/common/unsupported.hpp"
#include "libraries/cublas/types.hpp"

namespace nvmlkit::cublas {

using libraries::Cost;
using libraries::Running;

struct Call {
  Handle& handle;
  const char* name;

  // Where work of the library stays: done when the stream comes to it.
  template <class Work>
  cublasStatus_t enqueue(Cost cost, Work work) const {
    return status_of(libraries::enqueue(*handle.driver, handle.stream, name, cost, std::move(work)));
  }
  // The same for work that answers through memory of the host: it is done when the call returns.
  template <class Work>
  cublasStatus_t enqueue_with_answer(Cost cost, Work work) const {
    const auto status = enqueue(cost, std::move(work));
    if (status != CUBLAS_STATUS_SUCCESS || !has_host_pointers()) return status;
    return status_of(handle.driver->wait_for_stream(handle.stream));
  }
  bool has_host_pointers() const { return handle.pointer_mode == CUBLAS_POINTER_MODE_HOST; }

  // What is right, and not simulated: the line names it.
  cublasStatus_t unsupported(const char* what) const {
    libraries::note_unsupported(name, what);
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }

  static cublasStatus_t status_of(libraries::CUresult result);
};

// A scalar that a call reads: of the host at once, of the device when its work runs.
template <class T>
class Scalar {
 public:
  Scalar(const Call& call, const T* pointer) : address_(call.has_host_pointers() ? nullptr : pointer) {
    if (pointer && !address_) value_ = *pointer;
  }
  T get(Running& running) const { return address_ ? *running.read(address_, 1) : value_; }

 private:
  const T* address_;
  T value_{};
};

// A place that a call answers in: of the host or of the device.
template <class T>
class Answer {
 public:
  Answer(const Call& call, T* pointer) : is_of_host_(call.has_host_pointers()), pointer_(pointer) {}
  T& get(Running& running) const { return is_of_host_ ? *pointer_ : *running.write(pointer_, 1); }

 private:
  bool is_of_host_;
  T* pointer_;
};

inline bool is_handle(const Handle* handle);

// work(call) with a handle that is there. No exception crosses the ABI.
template <class Work>
cublasStatus_t without_handle(Work work) noexcept {
  return libraries::guarded<CUBLAS_STATUS_ALLOC_FAILED, CUBLAS_STATUS_INTERNAL_ERROR>(work);
}
template <class Work>
cublasStatus_t with(Handle* handle, const char* name, Work work) noexcept {
  if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  return without_handle([&] { return work(Call{*handle, name}); });
}

inline constexpr std::uint64_t kMark = 0x6e766d6c6b627573;
inline bool is_handle(const Handle* handle) {
  return handle && reinterpret_cast<std::uintptr_t>(handle) % alignof(Handle) == 0 && handle->mark == kMark;
}

inline bool is_handle(const XtHandle* handle) {
  return handle && reinterpret_cast<std::uintptr_t>(handle) % alignof(XtHandle) == 0 && handle->mark == XtHandle::kMark;
}

using libraries::unsupported;

}  // namespace nvmlkit::cublas
