// Attributes of launches, kept for the getters: of streams, of nodes of graphs.
#pragma once

#include <array>
#include <cstddef>
#include <map>

#include "driver/cuda/device/device.hpp"
#include "driver/cuda/generated/api.hpp"

namespace nvmlkit::cuda {

// CUlaunchAttributeValue.
using AttributeBytes = std::array<std::byte, 64>;
using AttributeStorage = std::map<CUlaunchAttributeID, AttributeBytes>;

// Is it a value that the attribute may have on the device?
bool is_attribute_value(const Device& device, CUlaunchAttributeID which, const AttributeBytes& value);
AttributeBytes attribute_default(CUlaunchAttributeID which);

}  // namespace nvmlkit::cuda
