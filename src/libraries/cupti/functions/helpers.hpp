// What profilers call before the first record, and after the last.
#pragma once

#include "libraries/cupti/call.hpp"

namespace nvmlkit::cupti::functions {

CUptiResult version(std::uint32_t* out);
// Nanoseconds of the clock that the records of a GPU would have.
CUptiResult timestamp(std::uint64_t* out);
CUptiResult result_string(CUptiResult result, const char** out);
CUptiResult error_message(CUptiResult result, const char** out);
CUptiResult get_thread_ids(CUpti_ActivityThreadIdType* out);
CUptiResult set_thread_ids(CUpti_ActivityThreadIdType type);
CUptiResult finalize();

// No device gives records, and no domain has callbacks.
CUptiResult device_supported(int device, int* out);
CUptiResult supported_domains(std::size_t* count, void** table);
CUptiResult register_callbacks(BufferRequested requested, BufferCompleted completed);
CUptiResult disable(CUpti_ActivityKind kind);
CUptiResult flush(std::uint32_t flags);
CUptiResult flush_stream(void* context, std::uint32_t stream, std::uint32_t flags);
CUptiResult next_record(std::uint8_t* buffer, std::size_t valid, Activity** record);
CUptiResult dropped(void* context, std::uint32_t stream, std::size_t* out);
// Of a call that went wrong inside. Wrong arguments and missing features are none, as in NVIDIA's library.
CUptiResult last_error();

}  // namespace nvmlkit::cupti::functions
