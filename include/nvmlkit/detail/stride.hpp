// The process lists of the first 535 drivers: entries of 32 bytes for a caller with room for 24 (erratum
// process-info-stride). The result does not report the stride; the written bytes show it.
#pragma once

#include <algorithm>
#include <cstring>
#include <nvmlkit/generated/abi.hpp>
#include <vector>

namespace nvmlkit::nvml::detail {

inline constexpr unsigned char kUnwritten = 0xA5;
inline constexpr std::size_t kLongProcessEntry = 32;

// All other lists are what they say.
template <class T>
void mark_unwritten(std::vector<T>&) noexcept {}
template <class T>
void repair_stride(std::vector<T>&, std::size_t) noexcept {}

// The buffer before the call, including its room behind the passed capacity.
inline void mark_unwritten(std::vector<abi::nvmlProcessInfo_v2_t>& entries) noexcept {
  std::memset(static_cast<void*>(entries.data()), kUnwritten, entries.size() * sizeof entries[0]);
}

// After the call: moves long entries to where the short ones belong. `count` entries must fit in either form.
inline void repair_stride(std::vector<abi::nvmlProcessInfo_v2_t>& entries, std::size_t count) noexcept {
  using Entry = abi::nvmlProcessInfo_v2_t;
  auto* bytes = reinterpret_cast<unsigned char*>(entries.data());
  const std::size_t end = std::min(count * kLongProcessEntry, entries.size() * sizeof(Entry));
  const bool is_long = std::any_of(bytes + std::min(count * sizeof(Entry), end), bytes + end,
                                   [](unsigned char byte) { return byte != kUnwritten; });
  if (!is_long || end < count * kLongProcessEntry) return;
  for (std::size_t i = 0; i < count; ++i)
    std::memmove(static_cast<void*>(&entries[i]), bytes + i * kLongProcessEntry, sizeof(Entry));
}

}  // namespace nvmlkit::nvml::detail
