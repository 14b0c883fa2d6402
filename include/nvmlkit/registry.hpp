// What the registry knows, at compile time: every C function, every field id, and the names of every enum. For programs
// that make tables of it, as an exporter makes its metrics. Not part of <nvmlkit/nvml.hpp>.
//
//   static_assert(nvml::find_function("nvmlDeviceGetPowerUsage")->unit == "mW");
#pragma once

#include <nvmlkit/generated/enumerators.hpp>
#include <nvmlkit/generated/field_id.hpp>
#include <string_view>

namespace nvmlkit::nvml {

// Who may call a function.
enum class Access {
  anyone,
  root,
  root_while_restricted,  // root, unless an administrator opened it: nvmlDeviceSetAPIRestriction
};

// A text is empty where there is nothing to say.
struct FunctionFacts {
  std::string_view name;          // "nvmlDeviceGetPowerUsage"
  std::string_view since;         // the first header that declares it, "11.0" being the oldest one that was read
  std::string_view exported_by;   // driver branches known to export it, blank between: "535 550"
  std::string_view method;        // "Device::power_usage": what calls it
  std::string_view newest;        // the newest of its versions, which the method asks first
  std::string_view unit;          // of the one number that it answers with: "mW", "MHz", "B", ...
  std::string_view architecture;  // the oldest GPUs that answer it: "pascal"; empty: all, or it is not about a GPU
  std::string_view doc;           // one sentence
  bool changes;                   // something on the machine, as setters do
  bool deprecated;
  Access access;
};

struct FieldFacts {
  std::string_view name;  // "NVML_FI_DEV_MEMORY_TEMP"
  FieldId id;
};

}  // namespace nvmlkit::nvml

// functions[], in the order of symbols(), and fields[].
#include <nvmlkit/generated/registry.hpp>

namespace nvmlkit::nvml {

// By the C name; null when there is none.
constexpr const FunctionFacts* find_function(std::string_view name) noexcept {
  for (const FunctionFacts& function : functions)
    if (function.name == name) return &function;
  return nullptr;
}

// "NVML_BRAND_TESLA"; empty for a number that a newer driver brings. Of several names the first in nvml.h.
template <class Enum>
constexpr std::string_view enumerator_name(Enum value) noexcept {
  for (const NamedNumber& each : enumerators<Enum>)
    if (each.number == static_cast<long long>(value)) return each.name;
  return {};
}

}  // namespace nvmlkit::nvml
