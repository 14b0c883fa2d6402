// Which atomic operations a GPU does across a link. A link with native atomics does all that the GPU does in its own
// memory, another one none.
#include <algorithm>
#include <array>
#include <span>

#include "driver/cuda/call.hpp"
#include "driver/cuda/device/attributes.hpp"
#include "driver/cuda/generated/functions.hpp"

namespace nvmlkit::cuda::functions {
namespace {

constexpr unsigned kWords = CU_ATOMIC_CAPABILITY_SCALAR_32 | CU_ATOMIC_CAPABILITY_SCALAR_64;
constexpr unsigned kIntegers =
    CU_ATOMIC_CAPABILITY_SIGNED | CU_ATOMIC_CAPABILITY_UNSIGNED | CU_ATOMIC_CAPABILITY_REDUCTION | kWords;
constexpr unsigned kCounters =
    CU_ATOMIC_CAPABILITY_UNSIGNED | CU_ATOMIC_CAPABILITY_REDUCTION | CU_ATOMIC_CAPABILITY_SCALAR_32;
constexpr unsigned kBits = CU_ATOMIC_CAPABILITY_REDUCTION | kWords;
constexpr unsigned kExchanges = kWords | CU_ATOMIC_CAPABILITY_SCALAR_128;
constexpr unsigned kFloats = CU_ATOMIC_CAPABILITY_SIGNED | CU_ATOMIC_CAPABILITY_REDUCTION | kWords;

// By operation; there is no minimum or maximum of floats.
constexpr std::array<unsigned, CU_ATOMIC_OPERATION_MAX> kOfOperation = {
    kIntegers, kIntegers, kIntegers, kCounters, kCounters, kBits, kBits, kBits, kExchanges, kExchanges, kFloats, 0, 0};

CUresult tell(std::span<const CUatomicOperation> operations, bool are_native, unsigned* out) {
  if (operations.empty()) return CUDA_ERROR_INVALID_VALUE;
  if (std::any_of(operations.begin(), operations.end(), [](auto one) { return one >= kOfOperation.size(); }))
    return CUDA_ERROR_INVALID_VALUE;
  for (const auto one : operations) *out++ = are_native ? kOfOperation[one] : 0;
  return CUDA_SUCCESS;
}

}  // namespace

CUresult DeviceGetHostAtomicCapabilities(unsigned int* capabilities, const CUatomicOperation* operations,
                                         unsigned int count, CUdevice dev) {
  const auto* const device = find_device(dev);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  return tell({operations, count}, attribute_of(*device, CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED) != 0,
              capabilities);
}

CUresult DeviceGetP2PAtomicCapabilities(unsigned int* capabilities, const CUatomicOperation* operations,
                                        unsigned int count, CUdevice srcDevice, CUdevice dstDevice) {
  int are_native = 0;
  const auto result =
      DeviceGetP2PAttribute(&are_native, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, srcDevice, dstDevice);
  return result == CUDA_SUCCESS ? tell({operations, count}, are_native != 0, capabilities) : result;
}

}  // namespace nvmlkit::cuda::functions
