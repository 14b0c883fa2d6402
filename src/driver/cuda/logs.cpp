#include "driver/cuda/logs.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "base/never_destroyed.hpp"

namespace nvmlkit::cuda::logs {
namespace {

constexpr std::size_t kMostBytes = 25600;  // documented
constexpr const char* kCut = "[CUDA][W] older lines of the log are left out\n";

struct Callback {
  CUlogsCallback function = nullptr;
  void* data = nullptr;
};
struct Log {
  std::mutex mutex;
  std::deque<std::string> lines;
  std::size_t bytes = 0;  // of them
  CUlogIterator end = 0;
  std::map<std::uintptr_t, Callback> callbacks;
  std::uintptr_t last_handle = 0;
};
Log& log() {
  static NeverDestroyed<Log> the;
  return *the;
}

// As the driver's lines begin: time of day, process, a letter for the level.
std::string dated(const std::string& line) {
  using namespace std::chrono;
  const auto now = system_clock::now();
  const auto seconds = system_clock::to_time_t(now);
  std::tm day{};
  localtime_r(&seconds, &day);
  char head[64];
  std::snprintf(head, sizeof head, "[%02d:%02d:%02d.%03d][%d][CUDA][E] ", day.tm_hour, day.tm_min, day.tm_sec,
                static_cast<int>(duration_cast<milliseconds>(now.time_since_epoch()).count() % 1000),
                static_cast<int>(getpid()));
  return head + line + '\n';
}

}  // namespace

void report(const std::string& line) {
  std::fprintf(stderr, "nvmlkit: %s\n", line.c_str());
  std::vector<Callback> told;
  auto& l = log();
  {
    const std::lock_guard lock(l.mutex);
    l.lines.push_back(dated(line));
    l.bytes += l.lines.back().size();
    ++l.end;
    for (; l.bytes > kMostBytes; l.lines.pop_front()) l.bytes -= l.lines.front().size();
    for (const auto& [handle, callback] : l.callbacks) told.push_back(callback);
  }
  for (const auto& callback : told) {
    auto text = line;
    callback.function(callback.data, CU_LOG_LEVEL_ERROR, text.data(), text.size());
  }
}

CUlogsCallbackHandle add(CUlogsCallback function, void* data) {
  auto& l = log();
  const std::lock_guard lock(l.mutex);
  l.callbacks[++l.last_handle] = {function, data};
  return reinterpret_cast<CUlogsCallbackHandle>(l.last_handle);
}

bool remove(CUlogsCallbackHandle handle) {
  auto& l = log();
  const std::lock_guard lock(l.mutex);
  return l.callbacks.erase(reinterpret_cast<std::uintptr_t>(handle)) > 0;
}

CUlogIterator end() {
  auto& l = log();
  const std::lock_guard lock(l.mutex);
  return l.end;
}

Lines from(CUlogIterator first, std::size_t most) {
  auto& l = log();
  const std::lock_guard lock(l.mutex);
  const auto oldest = l.end - static_cast<CUlogIterator>(l.lines.size());
  Lines out;
  out.next = l.end;
  if (first >= l.end) return out;
  out.is_complete = first >= oldest;
  auto at = l.lines.begin() + (out.is_complete ? first - oldest : 0);
  std::size_t size = 0;
  for (auto line = at; line != l.lines.end(); ++line) size += line->size();
  const std::string cut = kCut;
  if (size > most) out.is_complete = false;
  if (!out.is_complete) {
    for (; at != l.lines.end() && size + cut.size() > most; ++at) size -= at->size();
    if (at != l.lines.end()) out.text = cut;
  }
  for (; at != l.lines.end(); ++at) out.text += *at;
  return out;
}

}  // namespace nvmlkit::cuda::logs
