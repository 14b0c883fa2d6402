#include "sim/processes/descendants.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include "base/never_destroyed.hpp"
#include "sim/processes/life.hpp"
#include "storage/process.hpp"

namespace nvmlkit::sim::processes {
namespace {

constexpr std::uint64_t kNamespaceOfHost = 0xEFFFFFFC;  // of every Linux: PROC_PID_INIT_INO
constexpr std::size_t kMostRemembered = 4096;

// The number here of a process, 0 for one that cannot be seen from here.
struct Remembered {
  std::mutex mutex;
  std::map<InnerProcess, std::uint32_t> numbers;
};

Remembered& remembered() {
  static NeverDestroyed<Remembered> the;
  return *the;
}

std::optional<std::uint32_t> number_in(std::string_view text) {
  std::uint32_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(out) : std::nullopt;
}

// "NSpid:\t4711\t1": the numbers of the process from this namespace inwards. The last, if there is another one.
std::optional<std::uint32_t> innermost_number(std::string_view status) {
  constexpr std::string_view kField = "\nNSpid:\t";
  const auto begin = status.find(kField);
  if (begin == status.npos) return {};
  const auto line = status.substr(begin + kField.size(), status.find('\n', begin + 1) - begin - kField.size());
  const auto tab = line.rfind('\t');
  return tab == line.npos ? std::nullopt : number_in(line.substr(tab + 1));
}

// Of another user's process the system may hide it: then the numbers and the time have to do.
bool may_be_in(std::uint32_t pid, std::uint64_t pid_namespace) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%u/ns/pid", pid);
  struct stat about {};
  return stat(path, &about) != 0 || about.st_ino == pid_namespace;
}

}  // namespace

std::optional<InnerProcess> inner_process(std::uint32_t pid) {
  const auto start = running_since(pid);
  if (!start) return {};
  char path[64], buffer[4096];
  std::snprintf(path, sizeof path, "/proc/%u/ns/pid", pid);
  struct stat about {};
  if (stat(path, &about) != 0) return InnerProcess{own_pid_namespace(), pid, *start};
  const auto status = storage::read_about(pid, "status", buffer);
  const auto inside = status ? innermost_number(*status) : std::nullopt;
  return InnerProcess{about.st_ino, inside.value_or(pid), *start};
}

std::optional<std::uint32_t> Descendants::find(const InnerProcess& process) {
  // A child may be forked while another thread holds the lock. It does without the memory.
  const std::unique_lock lock(remembered().mutex, std::try_to_lock);
  if (!lock) return search(process);
  auto& numbers = remembered().numbers;
  auto known = numbers.find(process);
  if (known == numbers.end()) {
    if (numbers.size() >= kMostRemembered) numbers.clear();
    known = numbers.emplace(process, search(process).value_or(0)).first;
  }
  if (known->second == 0 || running_since(known->second) != process.start) return {};
  return known->second;
}

std::optional<std::uint32_t> Descendants::search(const InnerProcess& process) {
  if (!seen_) seen_ = look();
  for (const auto& [here, inside] : *seen_)
    if (inside == process.pid && running_since(here) == process.start && may_be_in(here, process.pid_namespace))
      return here;
  return {};
}

std::vector<Descendants::Numbers> Descendants::look() {
  std::vector<Numbers> out;
  const auto close_folder = [](DIR* folder) { closedir(folder); };
  const std::unique_ptr<DIR, decltype(close_folder)> folder(opendir("/proc"), close_folder);
  while (const auto* entry = folder ? readdir(folder.get()) : nullptr) {
    const auto here = number_in(entry->d_name);
    char buffer[4096];
    const auto status = here ? storage::read_about(*here, "status", buffer) : std::nullopt;
    if (const auto inside = status ? innermost_number(*status) : std::nullopt) out.push_back({*here, *inside});
  }
  return out;
}

bool sees_every_process() { return own_pid_namespace() == kNamespaceOfHost && storage::stat_of(1).has_value(); }

}  // namespace nvmlkit::sim::processes
