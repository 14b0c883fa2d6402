// A log of errors, from CUDA 13 on: the errors of this process's calls, for readers and callbacks.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>

#include "base/never_destroyed.hpp"
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {

#if NVMLKIT_CUDART_VERSION < 12000

void log(Error) {}

#else

namespace {

constexpr std::size_t kKept = 100, kMostBytes = 25600;

struct Logs {
  std::mutex mutex;
  std::deque<std::string> lines;  // the last ones
  unsigned next = 0;              // number of the line that comes next
  struct Listener {
    LogsCallback callback;
    void* data;
  };
  std::map<std::uintptr_t, Listener> listeners;
  std::uintptr_t next_listener = 1;
};
Logs& logs() {
  static NeverDestroyed<Logs> the;
  return *the;
}

// A callback that fails itself gets no call for its own error.
constinit thread_local bool is_telling = false;

// The lines from an iterator on, as many of the last as fit; with the lock held.
std::string lines_from(const Logs& all, const unsigned* iterator, std::size_t room) {
  const auto kept = static_cast<unsigned>(all.lines.size());
  const auto asked = iterator ? all.next - *iterator : kept;
  std::string out;
  auto line = all.lines.rbegin();
  for (unsigned i = 0; i < std::min(asked, kept); ++i, ++line) {
    if (out.size() + line->size() + 1 > room) break;
    out.insert(0, *line + "\n");
  }
  return out;
}

}  // namespace

void log(Error error) {
  if (is_telling) return;
  auto& all = logs();
  std::string line = std::string("[CUDA] ") + name_of(error);
  std::map<std::uintptr_t, Logs::Listener> told;
  {
    const std::lock_guard lock(all.mutex);
    all.lines.push_back(line);
    if (all.lines.size() > kKept) all.lines.pop_front();
    ++all.next;
    told = all.listeners;
  }
  is_telling = true;
  for (const auto& [handle, listener] : told) listener.callback(listener.data, 0, line.data(), line.size());
  is_telling = false;
}

NVMLKIT_RUNTIME Error cudaLogsRegisterCallback(LogsCallback callback, void* data, void** handle) {
  if (!callback) return keep(kInvalidValue);
  auto& all = logs();
  const std::lock_guard lock(all.mutex);
  const auto number = all.next_listener++;
  all.listeners[number] = {callback, data};
  if (handle) *handle = reinterpret_cast<void*>(number);
  return 0;
}

NVMLKIT_RUNTIME Error cudaLogsUnregisterCallback(void* handle) {
  auto& all = logs();
  bool is_gone = false;
  {
    const std::lock_guard lock(all.mutex);
    is_gone = all.listeners.erase(reinterpret_cast<std::uintptr_t>(handle)) > 0;
  }
  return is_gone ? 0 : keep(kInvalidValue);
}

NVMLKIT_RUNTIME Error cudaLogsCurrent(unsigned* iterator, unsigned flags) {
  if (!iterator || flags != 0) return keep(kInvalidValue);
  auto& all = logs();
  const std::lock_guard lock(all.mutex);
  *iterator = all.next;
  return 0;
}

NVMLKIT_RUNTIME Error cudaLogsDumpToMemory(unsigned* iterator, char* buffer, std::size_t* size, unsigned flags) {
  if (!buffer || !size || *size == 0 || flags != 0) return keep(kInvalidValue);
  auto& all = logs();
  const std::lock_guard lock(all.mutex);
  const auto text = lines_from(all, iterator, std::min(*size, kMostBytes) - 1);
  std::memcpy(buffer, text.c_str(), text.size() + 1);
  *size = text.size();
  if (iterator) *iterator = all.next;
  return 0;
}

NVMLKIT_RUNTIME Error cudaLogsDumpToFile(unsigned* iterator, const char* path, unsigned flags) {
  if (!path || flags != 0) return keep(kInvalidValue);
  auto& all = logs();
  std::string text;
  {
    const std::lock_guard lock(all.mutex);
    text = lines_from(all, iterator, kMostBytes);
    if (iterator) *iterator = all.next;
  }
  std::FILE* const file = std::fopen(path, "we");
  if (!file) return keep(kInvalidValue);
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && is_written ? 0 : keep(static_cast<Error>(CUDA_ERROR_OPERATING_SYSTEM));
}

#endif

}  // namespace nvmlkit::cudart
