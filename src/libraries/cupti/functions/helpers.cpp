#include "libraries/cupti/functions/helpers.hpp"

#include <atomic>
#include <chrono>
#include <utility>

#include "libraries/common/driver.hpp"
#include "libraries/common/soname.hpp"

namespace nvmlkit::cupti {

bool has_no_events() {
  const auto* const driver = libraries::driver();
  constexpr int kTuring = 75;
  return driver && driver->init(0) == cuda::CUDA_SUCCESS && libraries::capability(*driver, 0) >= kTuring;
}

namespace functions {
namespace {

template <class T>
CUptiResult answer(T* out, T value) {
  if (!out) return CUPTI_ERROR_INVALID_PARAMETER;
  *out = value;
  return CUPTI_SUCCESS;
}

#define NVMLKIT_NAME(name) \
  { name, #name }
constexpr std::pair<CUptiResult, const char*> kNames[] = {
    NVMLKIT_NAME(CUPTI_SUCCESS),
    NVMLKIT_NAME(CUPTI_ERROR_INVALID_PARAMETER),
    NVMLKIT_NAME(CUPTI_ERROR_INVALID_DEVICE),
    NVMLKIT_NAME(CUPTI_ERROR_INVALID_CONTEXT),
    NVMLKIT_NAME(CUPTI_ERROR_INVALID_OPERATION),
    NVMLKIT_NAME(CUPTI_ERROR_OUT_OF_MEMORY),
    NVMLKIT_NAME(CUPTI_ERROR_MAX_LIMIT_REACHED),
    NVMLKIT_NAME(CUPTI_ERROR_NOT_INITIALIZED),
    NVMLKIT_NAME(CUPTI_ERROR_INVALID_KIND),
    NVMLKIT_NAME(CUPTI_ERROR_NOT_COMPATIBLE),
    NVMLKIT_NAME(CUPTI_ERROR_NOT_SUPPORTED),
    NVMLKIT_NAME(CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED),
    NVMLKIT_NAME(CUPTI_ERROR_UNKNOWN),
};
#undef NVMLKIT_NAME

std::atomic<CUpti_ActivityThreadIdType>& thread_ids() {
  static std::atomic<CUpti_ActivityThreadIdType> the{CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT};
  return the;
}

}  // namespace

// Of CUDA 12.4 and of CUDA 13.0.
CUptiResult version(std::uint32_t* out) {
  return answer(out, std::uint32_t{libraries::is_loaded_as("libcupti.so.12") ? 22u : 130001u});
}
CUptiResult timestamp(std::uint64_t* out) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return answer(out, static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()));
}
CUptiResult result_string(CUptiResult result, const char** out) {
  if (!out) return CUPTI_ERROR_INVALID_PARAMETER;
  for (const auto& [known, name] : kNames)
    if (known == result) return answer(out, name);
  return CUPTI_ERROR_INVALID_PARAMETER;
}
CUptiResult error_message(CUptiResult result, const char** out) { return result_string(result, out); }
CUptiResult get_thread_ids(CUpti_ActivityThreadIdType* out) { return answer(out, thread_ids().load()); }
CUptiResult set_thread_ids(CUpti_ActivityThreadIdType type) {
  if (type >= CUPTI_ACTIVITY_THREAD_ID_TYPE_SIZE) return CUPTI_ERROR_NOT_SUPPORTED;
  thread_ids() = type;
  return CUPTI_SUCCESS;
}
CUptiResult finalize() { return CUPTI_SUCCESS; }

CUptiResult device_supported(int, int* out) { return answer(out, 0); }
CUptiResult supported_domains(std::size_t* count, void** table) {
  if (!table) return CUPTI_ERROR_INVALID_PARAMETER;
  *table = nullptr;
  return answer(count, std::size_t{0});
}
CUptiResult register_callbacks(BufferRequested requested, BufferCompleted completed) {
  return requested && completed ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}
CUptiResult disable(CUpti_ActivityKind) { return CUPTI_SUCCESS; }
CUptiResult flush(std::uint32_t) { return CUPTI_SUCCESS; }
CUptiResult flush_stream(void*, std::uint32_t, std::uint32_t) { return CUPTI_SUCCESS; }
CUptiResult next_record(std::uint8_t* buffer, std::size_t, Activity** record) {
  return buffer && record ? CUPTI_ERROR_MAX_LIMIT_REACHED : CUPTI_ERROR_INVALID_PARAMETER;
}
CUptiResult dropped(void*, std::uint32_t, std::size_t* out) { return answer(out, std::size_t{0}); }

CUptiResult last_error() { return CUPTI_SUCCESS; }

}  // namespace functions
}  // namespace nvmlkit::cupti
