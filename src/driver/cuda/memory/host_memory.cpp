#include "driver/cuda/memory/host_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace nvmlkit::cuda::host_memory {
namespace {

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;
constexpr std::uint64_t kEndless = ~std::uint64_t{0};
// What other writers may take between two looks: so much, or a part of all, whichever is less.
constexpr std::uint64_t kMargin = 256 * kMib, kMarginPart = 16;
// Writes of less are not looked at: the margin has room for them.
constexpr std::uint64_t kSmall = 16 * kMib;

// The number behind a word of a file of "word number" lines.
std::uint64_t number_in(const std::string& path, std::string_view word) {
  std::ifstream file(path);
  std::string name;
  std::uint64_t value = 0;
  for (std::string rest; file >> name >> value; std::getline(file, rest))
    if (name == word) return value;
  return 0;
}

std::optional<std::uint64_t> whole_number(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (file >> value) return value;  // "max" is none
  return std::nullopt;
}

struct Room {
  std::uint64_t left = kEndless, total = kEndless;

  void limit(std::uint64_t other_left, std::uint64_t other_total) {
    left = std::min(left, other_left);
    total = std::min(total, other_total);
  }
};

// What a control group leaves. The cache of files that it counts can be dropped.
void limit_by_group(Room& room, const std::string& folder, const char* limit, const char* used, const char* cache) {
  const auto most = whole_number(folder + limit), now = whole_number(folder + used);
  if (!most || !now) return;
  const auto held = *now - std::min(*now, number_in(folder + "/memory.stat", cache));
  room.limit(*most > held ? *most - held : 0, *most);
}

// The control groups of the process and those around them, of version 2 and 1.
void limit_by_groups(Room& room) {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto colon = line.find(':'), path_at = line.find(":/");
    if (path_at == std::string::npos) continue;
    const bool is_second = line.starts_with("0::");
    if (!is_second && line.compare(colon, path_at - colon, ":memory") != 0) continue;
    for (auto path = line.substr(path_at + 1);; path.resize(path.rfind('/'))) {
      while (path.ends_with('/')) path.pop_back();
      if (is_second)
        limit_by_group(room, "/sys/fs/cgroup" + path, "/memory.max", "/memory.current", "inactive_file");
      else
        limit_by_group(room, "/sys/fs/cgroup/memory" + path, "/memory.limit_in_bytes", "/memory.usage_in_bytes",
                       "total_inactive_file");
      if (path.find('/') == std::string::npos) break;
    }
  }
}

std::uint64_t resident() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0, pages = 0;
  file >> size >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

const Setting& setting() {
  static const Setting the = [] {
    const char* const text = std::getenv("NVMLKIT_CUDA_HOST_MEMORY");
    if (!text) return Setting{};
    if (const auto known = setting_of(text)) return *known;
    std::fprintf(stderr, "nvmlkit: NVMLKIT_CUDA_HOST_MEMORY=%s: expected 'unlimited' or a size such as 8G\n", text);
    return Setting{};
  }();
  return the;
}

// Bytes that can still be written.
std::uint64_t left() {
  constexpr auto kOfKib = 1024;
  const auto* const host = "/proc/meminfo";
  Room room;
  if (const auto available = number_in(host, "MemAvailable:"))
    room.limit((available + number_in(host, "SwapFree:")) * kOfKib, number_in(host, "MemTotal:") * kOfKib);
  limit_by_groups(room);
  room.left -= std::min({room.left, kMargin, room.total / kMarginPart});
  if (const auto most = setting().most) {
    const auto held = resident();
    room.limit(*most > held ? *most - held : 0, *most);
  }
  return room.left;
}

void complain(std::uint64_t wanted, std::uint64_t left_now) {
  std::fprintf(stderr,
               "nvmlkit: device memory is memory of the host: %llu MiB more are needed and %llu MiB are left; "
               "NVMLKIT_CUDA_HOST_MEMORY=unlimited lets the program try\n",
               static_cast<unsigned long long>(wanted / kMib), static_cast<unsigned long long>(left_now / kMib));
}

// Bytes of the pages that are not there yet.
std::uint64_t absent(const std::byte* start, std::uint64_t size) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  constexpr std::uint64_t kPages = 4096;
  unsigned char there[kPages];
  const auto first = reinterpret_cast<std::uintptr_t>(start) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(start) + size;
  std::uint64_t out = 0;
  for (auto at = first; at < end; at += kPages * page) {
    const auto count = std::min(kPages, (end - at + page - 1) / page);
    if (mincore(reinterpret_cast<void*>(at), count * page, there) != 0) return size;
    out += page * static_cast<std::uint64_t>(std::count_if(there, there + count, [](auto p) { return !(p & 1); }));
  }
  return out;
}

}  // namespace

std::optional<Setting> setting_of(std::string_view text) {
  if (text == "unlimited") return Setting{false, {}};
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto unit = text.substr(static_cast<std::size_t>(end - text.data()));
  constexpr std::string_view kUnits = "KMGT";
  const auto at = unit.size() == 1 ? kUnits.find(unit[0]) : std::string_view::npos;
  if (error != std::errc{} || (!unit.empty() && at == std::string_view::npos)) return std::nullopt;
  const auto shift = unit.empty() ? 0 : 10 * (at + 1);
  if (value > kEndless >> shift) return std::nullopt;
  return Setting{true, value << shift};
}

bool fits(const std::byte* start, std::uint64_t size) {
  if (size < kSmall || !setting().is_checked) return true;
  const auto left_now = left();
  if (size <= left_now) return true;
  const auto wanted = absent(start, size);
  if (wanted <= left_now) return true;
  complain(wanted, left_now);
  return false;
}

bool Growth::is_too_much() {
  if (!setting().is_checked) return false;
  const auto now = Clock::now();
  if (now < next_) return false;
  next_ = now + std::chrono::milliseconds(50);
  const auto held = resident();
  if (!first_) first_ = held;
  if (held < *first_ + kSmall || left() > 0) return false;
  complain(kSmall, 0);
  return true;
}

}  // namespace nvmlkit::cuda::host_memory
