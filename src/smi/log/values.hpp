// The text of an answer as nvidia-smi prints it, and readers for the rows of the log.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <type_traits>

#include "smi/gpu.hpp"

namespace nvmlkit::smi {

inline constexpr const char* kDeprecated = "Requested functionality has been deprecated";

inline std::string text_of(const Gpu&, const std::string& text) { return text; }
inline std::string text_of(const Gpu&, unsigned int number) { return std::to_string(number); }
inline std::string text_of(const Gpu&, unsigned long long number) { return std::to_string(number); }
inline std::string text_of(const Gpu&, bool enabled) { return enabled ? "Enabled" : "Disabled"; }
inline std::string text_of(const Gpu&, nvml::FramesPerSecond rate) { return std::to_string(rate.count()); }
inline std::string text_of(const Gpu&, std::chrono::microseconds time) { return std::to_string(time.count()) + " us"; }
std::string text_of(const Gpu& gpu, nvml::Milliwatts power);
std::string text_of(const Gpu& gpu, nvml::Bytes bytes);
std::string text_of(const Gpu& gpu, nvml::Brand brand);
std::string text_of(const Gpu& gpu, nvml::Architecture architecture);
std::string text_of(const Gpu& gpu, nvml::PState state);
std::string text_of(const Gpu& gpu, nvml::ComputeMode mode);
std::string text_of(const Gpu& gpu, nvml::VirtualizationMode mode);
std::string text_of(const Gpu& gpu, nvml::HostVgpuMode mode);
std::string text_of(const Gpu& gpu, nvml::OperationMode mode);
std::string text_of(const Gpu& gpu, nvml::AddressingModeType mode);
template <class Unit>
std::string text_of(const Gpu&, nvml::Quantity<Unit> quantity) {
  return std::to_string(quantity.count()) + ' ' + Unit::symbol;
}
template <class T>
std::string text_of(const Gpu& gpu, const std::optional<T>& value) {
  return value ? text_of(gpu, *value) : "N/A";
}

// Whole MiB: older drivers cut off, newer ones round up.
unsigned long long mebibytes(Version version, nvml::Bytes bytes);
// "78.48 W" of milliwatts, "912.345 mV" of microvolts.
std::string watts(long long milliwatts);
// A number of a field value.
nvml::Result<unsigned long long> number_of(const nvml::Result<nvml::FieldNumber>& value);

// A value that a method of the device or of Gpu returns, and a member of it.
template <auto method, auto... members>
decltype(auto) answer(const Gpu& gpu) {
  if constexpr (std::is_invocable_v<decltype(method), const Gpu&>)
    return std::invoke(method, gpu);
  else
    return std::invoke(method, gpu.device());
}

template <auto method, auto... members, class Format>
std::string shown_as(const Gpu& gpu, Format format) {
  const auto& result = answer<method>(gpu);
  if (!result) return gpu.failure(result.error());
  if constexpr (sizeof...(members) == 0)
    return format(*result);
  else
    return (format(std::invoke(members, *result)), ...);
}

template <auto method, auto... members>
std::string show(const Gpu& gpu) {
  return shown_as<method, members...>(gpu, [&](const auto& value) { return text_of(gpu, value); });
}

template <auto method, auto... members>
std::string yes_no(const Gpu& gpu) {
  return shown_as<method, members...>(gpu, [](bool value) { return std::string(value ? "Yes" : "No"); });
}

inline std::string deprecated(const Gpu&) { return kDeprecated; }
inline std::string not_available(const Gpu&) { return "N/A"; }

}  // namespace nvmlkit::smi
