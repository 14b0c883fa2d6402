// One helper per call protocol of NVML: strings, lists, chains of versions.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <nvmlkit/detail/stride.hpp>
#include <nvmlkit/session.hpp>
#include <string>
#include <utility>
#include <vector>

namespace nvmlkit::nvml::detail {

// A list may grow while it is read; after this many rounds it is reported as unstable.
inline constexpr int kMaxRounds = 8;
inline constexpr std::size_t kMaxStringBytes = 64 * 1024;
// No list of NVML comes near; a driver that claims more is not followed.
inline constexpr std::size_t kMaxListBytes = 64 * 1024 * 1024;
// More than any machine has: asking for that many one by one would take for ever.
inline constexpr unsigned int kMostDevices = 64 * 1024;
// More than any GPU has of what the count_known functions list (instances and placements of one profile).
inline constexpr std::size_t kKnownCapacity = 128;

// The text of a buffer that the driver may have left without a terminator.
inline std::string text_of(const char* buffer, std::size_t size) {
  const void* end = std::memchr(buffer, '\0', size);
  return {buffer, end ? static_cast<std::size_t>(static_cast<const char*>(end) - buffer) : size};
}

// char buffer and its length by value. Grows on INSUFFICIENT_SIZE. ask(char*, unsigned int) -> Outcome.
template <class Ask>
Result<std::string> read_string(std::size_t capacity, Ask ask) {
  char first[128] = {};  // enough for nearly every text, and no allocation
  if (capacity <= sizeof first) {
    const Outcome outcome = ask(first, static_cast<unsigned int>(capacity));
    if (outcome.ok()) return text_of(first, capacity);
    if (outcome.code != Errc::insufficient_size) return outcome.failure();
    capacity *= 2;
  }
  for (std::string buffer(capacity, '\0');; buffer.assign(buffer.size() * 2, '\0')) {
    const Outcome outcome = ask(buffer.data(), static_cast<unsigned int>(buffer.size()));
    if (outcome.ok()) return text_of(buffer.data(), buffer.size());
    if (outcome.code != Errc::insufficient_size || buffer.size() * 2 > kMaxStringBytes) return outcome.failure();
  }
}

// char buffer and a pointer to its length, which says how much is needed. ask(char*, unsigned int*) -> Outcome.
template <class Ask>
Result<std::string> read_string_inout(std::size_t capacity, Ask ask) {
  std::string buffer(capacity, '\0');
  while (true) {
    auto size = static_cast<unsigned int>(buffer.size());
    const Outcome outcome = ask(buffer.data(), &size);
    if (outcome.ok()) return text_of(buffer.data(), buffer.size());
    const std::size_t needed = std::max<std::size_t>(size, buffer.size() * 2);
    if (outcome.code != Errc::insufficient_size || needed > kMaxStringBytes) return outcome.failure();
    buffer.assign(needed, '\0');
  }
}

// Count in and out with an array. Asks with count 0 first; INSUFFICIENT_SIZE, or SUCCESS with a count above the
// capacity, names the size needed, so that one helper serves both habits (count_probe and count_zero_ok).
// ask(unsigned int* count, T* array) -> Outcome; array is null in the first round.
template <class T, class Ask>
Result<std::vector<T>> read_list(Ask ask) {
  std::vector<T> entries;
  std::size_t capacity = 0;
  Outcome outcome{};
  for (int round = 0; round < kMaxRounds; ++round) {
    auto count = static_cast<unsigned int>(capacity);
    outcome = ask(&count, capacity == 0 ? nullptr : entries.data());
    if (!outcome.ok() && outcome.code != Errc::insufficient_size) return outcome.failure();
    if (outcome.ok() && count <= capacity) {
      repair_stride(entries, count);
      entries.resize(count);
      return entries;
    }
    if (count > kMaxListBytes / sizeof(T)) return Failure(Errc::malformed_answer, symbols()[outcome.symbol].name);
    // Room for growth between two calls. A driver that wants more without saying how much gets twice as much.
    capacity = std::max<std::size_t>(count, capacity * 2);
    capacity += capacity / 4 + 4;
    // Behind the passed capacity lies a third more: some 535 drivers wrote 32-byte process entries for 24-byte
    // ones.
    entries.assign(capacity + capacity / 3 + 1, T{});
    mark_unwritten(entries);
  }
  return Failure(Errc::unstable_answer, symbols()[outcome.symbol].name);
}

// Array out and a count that is only written: the capacity is one that no GPU reaches.
// ask(unsigned int* count, T* array) -> Outcome.
template <class T, class Ask>
Result<std::vector<T>> read_known(Ask ask) {
  std::vector<T> entries(kKnownCapacity);
  auto count = static_cast<unsigned int>(entries.size());
  const Outcome outcome = ask(&count, entries.data());
  if (!outcome.ok()) return outcome.failure();
  if (count > entries.size()) return Failure(Errc::malformed_answer, symbols()[outcome.symbol].name);
  entries.resize(count);
  return entries;
}

// Array and its size by value, always filled. ask(unsigned int size, T* array) -> Outcome.
template <class T, class Ask>
Result<std::vector<T>> read_fixed(std::size_t size, Ask ask) {
  std::vector<T> entries(size);
  const Outcome outcome = ask(static_cast<unsigned int>(size), entries.data());
  if (!outcome.ok()) return outcome.failure();
  return entries;
}

// True when an older version of the function may still answer. Never for NOT_SUPPORTED: that is an answer.
inline bool older_may_answer(const Failure& failure) noexcept {
  return failure.code() == Errc::function_not_found || failure.code() == Errc::argument_version_mismatch;
}

// One member of a chain: its answer says where it came from.
template <class Function, class Ask>
auto by(Function Table::*member, unsigned int struct_version, Ask ask) {
  return [=] {
    auto result = ask();
    if (result) result.answered_by(symbol_index(member), struct_version);
    return result;
  };
}

// A chain, newest first. If no version can answer, the failure of the newest is reported.
template <class Newest>
auto newest_of(Newest newest) {
  return newest();
}
template <class Newest, class... Older>
auto newest_of(Newest newest, Older... older) -> decltype(newest()) {
  auto result = newest();
  if (result || !older_may_answer(result.error())) [[likely]]
    return result;
  auto fallback = newest_of(std::move(older)...);
  if (fallback || !older_may_answer(fallback.error())) result = std::move(fallback);
  return result;
}

template <class To, class From>
std::vector<To> convert_each(const std::vector<From>& from) {
  std::vector<To> to;
  to.reserve(from.size());
  for (const From& each : from) to.emplace_back(each);
  return to;
}

}  // namespace nvmlkit::nvml::detail
