#include "driver/cuda/memory/memory_operations.hpp"

#include <atomic>
#include <cstring>
#include <type_traits>

#include "driver/cuda/memory/memory.hpp"
#include "ptx/changing_memory.hpp"
#include "ptx/memory_view.hpp"

namespace nvmlkit::cuda::memory_operations {
namespace {

// Barriers have flags where the others have padding.
constexpr std::size_t kBarrierFlags = 4;

template <class T>
T& word(const Span& span) {
  return *reinterpret_cast<T*>(span.bytes);
}

template <class T>
bool compares(T is, T wanted, unsigned how) {
  switch (how) {
    case CU_STREAM_WAIT_VALUE_GEQ:
      return static_cast<std::make_signed_t<T>>(is - wanted) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
      return is == wanted;
    case CU_STREAM_WAIT_VALUE_AND:
      return (is & wanted) != 0;
    default:
      return static_cast<T>(~(is | wanted)) != 0;
  }
}

template <class T>
CUresult plan_wait(const MemoryOperation& o, Task& task) {
  if (o.flags & CU_STREAM_WAIT_VALUE_FLUSH) return CUDA_ERROR_NOT_SUPPORTED;
  if (o.flags > CU_STREAM_WAIT_VALUE_NOR || o.address % sizeof(T) != 0) return CUDA_ERROR_INVALID_VALUE;
  const auto span = memory::known(o.address, sizeof(T), Use::read);
  if (!span) return CUDA_ERROR_INVALID_VALUE;
  task.is_due = [span, wanted = static_cast<T>(o.value), how = o.flags] {
    return compares(std::atomic_ref(word<T>(span)).load(), wanted, how);
  };
  return CUDA_SUCCESS;
}

template <class T>
CUresult plan_write(const MemoryOperation& o, Task& task) {
  if (o.flags > CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER || o.address % sizeof(T) != 0) return CUDA_ERROR_INVALID_VALUE;
  const auto span = memory::known(o.address, sizeof(T), Use::write);
  if (!span) return CUDA_ERROR_INVALID_VALUE;
  task.work = [span, value = static_cast<T>(o.value)](CUresult) {
    if (auto* const written = span.holder->written)
      std::memset(written + (span.bytes - span.holder->bytes), ptx::kWritten, sizeof value);
    const ptx::ChangingMemory changing;
    std::atomic_ref(word<T>(span)).store(value);
  };
  return CUDA_SUCCESS;
}

}  // namespace

CUresult plan(const MemoryOperation& o, Task& task) {
  switch (o.type) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
      return plan_wait<std::uint32_t>(o, task);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      return plan_wait<std::uint64_t>(o, task);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
      return plan_write<std::uint32_t>(o, task);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      return plan_write<std::uint64_t>(o, task);
    case CU_STREAM_MEM_OP_BARRIER: {  // tasks are ordered as they are
      unsigned flags = 0;
      std::memcpy(&flags, reinterpret_cast<const char*>(&o) + kBarrierFlags, sizeof flags);
      return flags <= CU_STREAM_MEMORY_BARRIER_TYPE_GPU ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
      return CUDA_ERROR_NOT_SUPPORTED;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace nvmlkit::cuda::memory_operations
