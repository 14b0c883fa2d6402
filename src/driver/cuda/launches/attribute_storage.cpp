#include "driver/cuda/launches/attribute_storage.hpp"

#include <cstring>

#include "driver/cuda/device/attributes.hpp"

namespace nvmlkit::cuda {
namespace {

// CUaccessPolicyWindow.
struct AccessPolicy {
  void* base;
  std::size_t size;
  float hit_ratio;
  CUaccessProperty hit, miss;
};

template <class T>
T as(const AttributeBytes& value) {
  static_assert(sizeof(T) <= sizeof value);
  T out;
  std::memcpy(&out, value.data(), sizeof out);
  return out;
}

}  // namespace

bool is_attribute_value(const Device& device, CUlaunchAttributeID which, const AttributeBytes& value) {
  switch (which) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW: {
      const auto policy = as<AccessPolicy>(value);
      const auto most = attribute_of(device, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE);
      return policy.size <= static_cast<std::size_t>(most) && policy.hit_ratio >= 0 && policy.hit_ratio <= 1 &&
             policy.hit <= CU_ACCESS_PROPERTY_PERSISTING && policy.miss <= CU_ACCESS_PROPERTY_STREAMING;
    }
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY: {
      const auto policy = as<unsigned>(value);
      return policy >= CU_SYNC_POLICY_AUTO && policy <= CU_SYNC_POLICY_BLOCKING_SYNC;
    }
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
      return as<unsigned>(value) <= CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP: {
      const auto count = attribute_of(device, CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT);
      const auto domains = as<std::array<unsigned char, 2>>(value);
      return domains[0] < count && domains[1] < count;
    }
    default:
      return true;
  }
}

AttributeBytes attribute_default(CUlaunchAttributeID which) {
  AttributeBytes out{};
  if (which == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY) out[0] = std::byte{CU_SYNC_POLICY_AUTO};
  if (which == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP) out[1] = std::byte{1};
  return out;
}

}  // namespace nvmlkit::cuda
