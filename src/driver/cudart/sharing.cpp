// Pools of other processes and of locations, and access of GPUs to each other's memory.
#include <iterator>

#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {

#if NVMLKIT_CUDART_VERSION >= 12000
namespace {

// use(GPU) for memory of one; other places have no pools here.
template <class Use>
Error with_place(const CUmemLocation* place, CUmemAllocationType type, Use use) {
  if (!place || type != CU_MEM_ALLOCATION_TYPE_PINNED) return keep(kInvalidValue);
  if (place->type != CU_MEM_LOCATION_TYPE_DEVICE) return keep(kNotSupported);
  return with_context([&] { return use(place->id); });
}

// What the operations of one GPU on memory that it reaches by a link can be: as if it were its own, or none.
Error tell_atomics(unsigned* out, const unsigned* operations, unsigned count, bool are_native) {
  enum : unsigned { kSigned = 1, kUnsigned = 2, kReduction = 4, k32 = 8, k64 = 16, k128 = 32 };
  static constexpr unsigned kOf[] = {
      kSigned | kUnsigned | kReduction | k32 | k64,  // add
      kSigned | kUnsigned | kReduction | k32 | k64,  // min
      kSigned | kUnsigned | kReduction | k32 | k64,  // max
      kUnsigned | kReduction | k32,                  // increment
      kUnsigned | kReduction | k32,                  // decrement
      kReduction | k32 | k64,                        // and
      kReduction | k32 | k64,                        // or
      kReduction | k32 | k64,                        // xor
      k32 | k64 | k128,                              // exchange
      k32 | k64 | k128,                              // compare and swap
      kSigned | kReduction | k32 | k64,              // add, float
      0,                                             // min, float
      0,                                             // max, float
  };
  for (unsigned i = 0; i < count; ++i)
    if (operations[i] >= std::size(kOf)) return keep(kInvalidValue);
  for (unsigned i = 0; i < count; ++i) out[i] = are_native ? kOf[operations[i]] : 0;
  return 0;
}

}  // namespace

NVMLKIT_RUNTIME Error cudaMemGetDefaultMemPool(CUmemoryPool* pool, CUmemLocation* place, CUmemAllocationType type) {
  return with_place(place, type, [&](int device) { return cuDeviceGetDefaultMemPool(pool, device); });
}
NVMLKIT_RUNTIME Error cudaMemGetMemPool(CUmemoryPool* pool, CUmemLocation* place, CUmemAllocationType type) {
  return with_place(place, type, [&](int device) { return cuDeviceGetMemPool(pool, device); });
}
NVMLKIT_RUNTIME Error cudaMemSetMemPool(CUmemLocation* place, CUmemAllocationType type, CUmemoryPool pool) {
  return with_place(place, type, [&](int device) { return cuDeviceSetMemPool(device, pool); });
}

NVMLKIT_RUNTIME Error cudaDeviceGetHostAtomicCapabilities(unsigned* out, const unsigned* operations, unsigned count,
                                                          int device) {
  if (!out || !operations || count == 0) return keep(kInvalidValue);
  if (const auto refused = start(); refused != CUDA_SUCCESS) return keep(refused);
  int are_native = 0;
  const auto result = cuDeviceGetAttribute(&are_native, CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED, device);
  return result == CUDA_SUCCESS ? tell_atomics(out, operations, count, are_native != 0) : keep(result);
}
NVMLKIT_RUNTIME Error cudaDeviceGetP2PAtomicCapabilities(unsigned* out, const unsigned* operations, unsigned count,
                                                         int from, int to) {
  if (!out || !operations || count == 0) return keep(kInvalidValue);
  if (const auto refused = start(); refused != CUDA_SUCCESS) return keep(refused);
  int are_native = 0;
  const auto result = cuDeviceGetP2PAttribute(&are_native, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, from, to);
  return result == CUDA_SUCCESS ? tell_atomics(out, operations, count, are_native != 0) : keep(result);
}
#endif

}  // namespace nvmlkit::cudart
