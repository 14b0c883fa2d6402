// The built-in machine that describes a GPU best.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace nvmlkit::smi_log {

// The built-in machine whose GPUs have the product name; empty if there is none.
std::string_view profile_of(std::string_view product_name);

// The built-in machine whose GPUs have the PCI device id, a number of YAML; empty if there is none.
std::string_view profile_of_device(std::string_view device_id);

// What a built-in machine says about each of its GPUs, by path, in flow style; nothing for an empty name.
const std::map<std::string, std::string>& fields_of_profile(std::string_view profile);

}  // namespace nvmlkit::smi_log
