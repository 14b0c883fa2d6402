#include "driver/cuda/memory/fills.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "driver/cuda/memory/host_memory.hpp"
#include "driver/cuda/sanitize/host_work.hpp"
#include "driver/cuda/sanitize/sanitizer.hpp"
#include "ptx/changing_memory.hpp"
#include "ptx/memory_view.hpp"

namespace nvmlkit::cuda {
namespace {

template <class T>
void fill_row(std::byte* at, unsigned wide, std::size_t count) {
  const auto value = static_cast<T>(wide);
  for (std::size_t i = 0; i < count; ++i) std::memcpy(at + i * sizeof value, &value, sizeof value);
}

// As memset, for memory of mmap.
void zero(std::byte* start, std::size_t size) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto before = (page - reinterpret_cast<std::uintptr_t>(start) % page) % page;
  const auto pages = (size - before) / page * page;
  if (madvise(start + before, pages, MADV_DONTNEED) != 0) {
    std::memset(start, 0, size);
    return;
  }
  std::memset(start, 0, before);
  std::memset(start + before + pages, 0, size - before - pages);
}

}  // namespace

CUresult Fill::find(const CUDA_MEMSET_NODE_PARAMS& params) {
  params_ = params;
  const auto& p = params_;
  if (p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4) return CUDA_ERROR_INVALID_VALUE;
  if (p.dst % p.elementSize != 0 || p.pitch % p.elementSize != 0) return CUDA_ERROR_INVALID_VALUE;
  if (p.width == 0 || p.height == 0) return CUDA_SUCCESS;
  std::size_t size = 0;
  if (__builtin_mul_overflow(p.width, p.elementSize, &row_) || (p.height > 1 && p.pitch < row_) ||
      __builtin_mul_overflow(p.pitch, p.height - 1, &size) || __builtin_add_overflow(size, row_, &size))
    return CUDA_ERROR_INVALID_VALUE;
  span_ = memory::known(p.dst, size, Use::write);
  return span_ ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

bool Fill::is_synchronous() const {
  if (!span_) return false;
  const auto kind = span_.holder->kind;
  const bool is_of_host = kind == MemoryKind::host || kind == MemoryKind::registered || kind == MemoryKind::managed;
  return is_of_host || span_.holder->is_synchronous;
}

// Zeros over many pages of device memory that only this process has: the pages can be dropped, and come back empty.
bool Fill::is_zero_of_pages() const {
  constexpr std::size_t kLeast = 1 << 20;
  const auto& p = params_;
  return span_ && p.value == 0 && (p.height == 1 || p.pitch == row_) && size() >= kLeast &&
         span_.holder->kind == MemoryKind::device && span_.holder->file < 0;
}

bool Fill::fits() const { return !span_ || is_zero_of_pages() || host_memory::fits(span_.bytes, size()); }

void Fill::perform() const {
  if (!span_) return;
  const auto& p = params_;
  if (auto* const written = span_.holder->written)
    for (std::size_t y = 0; y < p.height; ++y)
      std::memset(written + (span_.bytes - span_.holder->bytes) + y * p.pitch, ptx::kWritten, row_);
  if (sanitizer::is_on())
    sanitizer::note_work("a fill of the driver", {span_.holder.get(), span_.bytes, row_, p.height, p.pitch}, {});
  const ptx::ChangingMemory changing;
  if (is_zero_of_pages()) return zero(span_.bytes, size());
  for (std::size_t y = 0; y < p.height; ++y) {
    auto* const at = span_.bytes + y * p.pitch;
    if (p.elementSize == 1)
      std::memset(at, static_cast<int>(p.value & 0xFF), p.width);
    else if (p.elementSize == 2)
      fill_row<std::uint16_t>(at, p.value, p.width);
    else
      fill_row<std::uint32_t>(at, p.value, p.width);
  }
}

}  // namespace nvmlkit::cuda
