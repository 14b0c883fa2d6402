// What a sanitizer needs of the driver: where memory came from, what was freed, what is left at the end.
#pragma once

#include <memory>

#include "driver/cuda/generated/api.hpp"
#include "sanitize/finding.hpp"
#include "sanitize/recorder.hpp"

namespace nvmlkit::cuda {

struct Allocation;

namespace sanitizer {

inline bool is_on() { return sanitize::options() != nullptr; }

// Before the first device; kernels are checked from here on.
void begin();

std::shared_ptr<const sanitize::HostStack> here();

// The table of memory is locked.
void note_freed(const Allocation& allocation);
// Whether memory of the heap of kernels began there and was freed.
bool was_freed_by_kernel(CUdeviceptr address);
void note_call_error(CUresult error);

// A copy reads rows of bytes for the host: which of them did nothing write?
void check_copy_to_host(const Allocation& from, std::uint64_t offset, std::uint64_t width, std::uint64_t rows,
                        std::uint64_t pitch, const std::shared_ptr<const sanitize::HostStack>& origin);

// Of a context, or of all: what the program has not freed.
void report_leaks(CUcontext context);

// What an address of global memory was meant for.
sanitize::Nearest nearest_to(CUdeviceptr address);

}  // namespace sanitizer
}  // namespace nvmlkit::cuda
