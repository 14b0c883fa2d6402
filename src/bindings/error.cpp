#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <nvmlkit/error.hpp>
#include <nvmlkit/generated/enumerators.hpp>
#include <nvmlkit/table.hpp>

#include "base/never_destroyed.hpp"

namespace nvmlkit::nvml {
namespace {

struct Texts {
  Errc code;
  const char* name;
  const char* message;
  const char* advice;
};

// The codes of NVML by number, then those of the bindings.
constexpr Texts kTexts[] = {
    {Errc::success, "success", "success", ""},
    {Errc::uninitialized, "uninitialized", "NVML is not initialised in this process", "open a Library first"},
    {Errc::invalid_argument, "invalid_argument", "an argument is invalid", ""},
    {Errc::not_supported, "not_supported", "the GPU or its current mode does not support this", ""},
    {Errc::no_permission, "no_permission", "the user may not do this",
     "run as root, or ask the administrator to allow it"},
    {Errc::already_initialized, "already_initialized", "NVML is already initialised", ""},
    {Errc::not_found, "not_found", "there is no such object", ""},
    {Errc::insufficient_size, "insufficient_size", "the buffer is too small", ""},
    {Errc::insufficient_power, "insufficient_power", "external power cables are not attached properly",
     "check the GPU's power cables"},
    {Errc::driver_not_loaded, "driver_not_loaded", "the NVIDIA kernel driver is not loaded",
     "load the kernel module: modprobe nvidia"},
    {Errc::timeout, "timeout", "the time ran out", ""},
    {Errc::irq_issue, "irq_issue", "the kernel found a problem with the GPU's interrupts", ""},
    {Errc::library_not_found, "library_not_found", "the NVML library could not be loaded",
     "install the NVIDIA driver, or set NVMLKIT_NVML_LIBRARY to the path of libnvidia-ml.so.1"},
    {Errc::function_not_found, "function_not_found", "the loaded NVML library lacks this function",
     "update the NVIDIA driver"},
    {Errc::corrupted_inforom, "corrupted_inforom", "the GPU's infoROM is corrupted", ""},
    {Errc::gpu_is_lost, "gpu_is_lost", "the GPU has fallen off the bus or cannot be reached",
     "reset the GPU or restart the machine"},
    {Errc::reset_required, "reset_required", "the GPU must be reset before it can be used again",
     "nvidia-smi --gpu-reset"},
    {Errc::operating_system, "operating_system", "the operating system or its cgroup settings block the GPU", ""},
    {Errc::lib_rm_version_mismatch, "lib_rm_version_mismatch",
     "the NVML library and the kernel driver have different versions",
     "the driver was updated while it was loaded: reload its modules or restart the machine"},
    {Errc::in_use, "in_use", "the GPU is in use", "end the processes that use it"},
    {Errc::memory, "memory", "not enough memory", ""},
    {Errc::no_data, "no_data", "there is no data", ""},
    {Errc::vgpu_ecc_not_supported, "vgpu_ecc_not_supported", "not possible on a vGPU host while ECC is on", ""},
    {Errc::insufficient_resources, "insufficient_resources", "not enough of a resource other than memory", ""},
    {Errc::freq_not_supported, "freq_not_supported", "the frequency is not supported",
     "choose one of the supported clocks"},
    {Errc::argument_version_mismatch, "argument_version_mismatch",
     "the driver does not know this version of the struct", "update the NVIDIA driver"},
    {Errc::deprecated, "deprecated", "the function is no longer available", ""},
    {Errc::not_ready, "not_ready", "the system is not ready for the request", "try again later"},
    {Errc::gpu_not_found, "gpu_not_found", "no GPU was found", ""},
    {Errc::invalid_state, "invalid_state", "the resource is not in a state that allows this", ""},
    {Errc::reset_type_not_supported, "reset_type_not_supported", "the GPU does not support this kind of reset", ""},
    {Errc::unknown, "unknown", "an internal error of the driver", ""},
    {Errc::forked, "forked", "the library was opened before this process was forked", "open a Library in the child"},
    {Errc::library_closed, "library_closed", "the library that this object came from was closed", ""},
    {Errc::unstable_answer, "unstable_answer", "the list kept growing while it was read", "try again"},
    {Errc::malformed_answer, "malformed_answer", "the driver's answer breaks its own protocol", ""},
    {Errc::stale_handle, "stale_handle", "the GPU or instance that this object stood for was removed or destroyed",
     "look it up again"},
};

// Null name: a number that this version does not know.
constexpr Texts texts_of(Errc code) {
  for (const auto& texts : kTexts)
    if (texts.code == code) return texts;
  return {code, nullptr, nullptr, ""};
}

// A code that a new header brings must get its texts here before this file compiles again.
consteval bool has_texts_for_all() {
  for (const auto& code : enumerators<abi::nvmlReturn_t>)
    if (texts_of(static_cast<Errc>(code.number)).name == nullptr) return false;
  return texts_of(Errc::stale_handle).name != nullptr;
}
static_assert(has_texts_for_all());

class Category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "nvml"; }

  std::string message(int code) const override {
    const Texts texts = texts_of(static_cast<Errc>(code));
    return texts.message ? texts.message : "NVML error " + std::to_string(code);
  }

  std::error_condition default_error_condition(int code) const noexcept override {
    switch (static_cast<Errc>(code)) {
      case Errc::invalid_argument:
        return std::errc::invalid_argument;
      case Errc::not_supported:
        return std::errc::not_supported;
      case Errc::no_permission:
        return std::errc::operation_not_permitted;
      case Errc::timeout:
        return std::errc::timed_out;
      case Errc::memory:
        return std::errc::not_enough_memory;
      case Errc::function_not_found:
        return std::errc::function_not_supported;
      case Errc::gpu_is_lost:
        return std::errc::no_such_device;
      case Errc::in_use:
        return std::errc::device_or_resource_busy;
      default:
        return {code, *this};
    }
  }
};

}  // namespace

const std::error_category& nvml_category() noexcept {
  // Error codes may be printed while the process exits.
  static NeverDestroyed<Category> category;
  return *category;
}

std::string name_of(Errc code) {
  const Texts texts = texts_of(code);
  return texts.name ? texts.name : "code " + std::to_string(static_cast<int>(code));
}

namespace {

// Failures name their details by number. Equal texts share one, so that a program that tries again and again to open a
// library that is not there does not grow.
struct Details {
  std::mutex mutex;
  std::deque<std::string> texts{std::string()};  // texts stay where they are
  std::map<std::string, std::uint32_t> numbers{{std::string(), 0}};
};

Details& details() {
  static NeverDestroyed<Details> all;  // failures may be printed while the process exits
  return *all;
}

}  // namespace

Failure::Failure(Errc code, const char* function, const std::string& detail) : function_(function), code_(code) {
  Details& all = details();
  const std::lock_guard lock(all.mutex);
  const auto [entry, added] = all.numbers.try_emplace(detail, static_cast<std::uint32_t>(all.texts.size()));
  if (added) all.texts.push_back(detail);
  detail_ = entry->second;
}

const std::string& Failure::detail() const noexcept {
  Details& all = details();
  const std::lock_guard lock(all.mutex);
  return all.texts[detail_];
}

std::string Failure::message() const {
  std::string text = function_ ? std::string(function_) + ": " : "";
  text += nvml_category().message(static_cast<int>(code_));
  if (code_ == Errc::function_not_found && function_) {
    const Symbol* symbol = find_symbol(function_);
    if (symbol && *symbol->since) text += " (declared since NVML " + std::string(symbol->since) + ")";
  }
  if (detail_ != 0) text += "; " + detail();
  return text;
}

std::string Failure::advice() const { return texts_of(code_).advice; }

Error::Error(const Failure& failure)
    : std::system_error(failure.error_code()), failure_(failure), message_(failure.message()) {}

Error::~Error() = default;

void raise(const Failure& failure) {
#if defined(__cpp_exceptions)
  throw Error(failure);
#else
  std::fprintf(stderr, "nvmlkit: %s\n", failure.message().c_str());
  std::abort();
#endif
}

}  // namespace nvmlkit::nvml
