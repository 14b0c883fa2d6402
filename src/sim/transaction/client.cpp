#include "sim/transaction/client.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace nvmlkit::sim::transaction {
namespace {

bool has_ended(std::uint32_t pid) { return kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH; }

void set_name(events::Process& process, std::string_view name) {
  name = name.substr(0, std::min(name.find('\n'), sizeof process.name - 1));
  std::memset(process.name, 0, sizeof process.name);
  std::ranges::copy(name, process.name);
}

events::Process named_by_path(std::uint32_t pid, std::string_view path) {
  events::Process out;
  out.pid = pid;
  set_name(out, path.substr(path.rfind('/') + 1));
  return out;
}

// The kernel's name of the process, else the end of its path.
events::Process named(std::uint32_t pid, std::string_view path) {
  auto out = named_by_path(pid, path);
  char text[64];
  std::snprintf(text, sizeof text, "/proc/%u/comm", pid);
  const int file = open(text, O_RDONLY | O_CLOEXEC);
  const auto size = file < 0 ? -1 : read(file, text, sizeof text);
  if (file >= 0) close(file);
  if (size > 0) set_name(out, {text, static_cast<std::size_t>(size)});
  return out;
}

}  // namespace

events::Process client_of(const processes::Table& clients) {
  const auto self = static_cast<std::uint32_t>(getpid());
  const processes::Client* found = nullptr;
  for (const auto& client : clients.places()) {
    if (client.pid == self && client.simulated == 0) return named(self, client.name.view());
    if (!found && client.pid != 0 && (client.simulated != 0 || !has_ended(client.pid))) found = &client;
  }
  if (!found) return {};
  return found->simulated != 0 ? named_by_path(found->pid, found->name.view()) : named(found->pid, found->name.view());
}

events::Process this_process() { return named(static_cast<std::uint32_t>(getpid()), {}); }

}  // namespace nvmlkit::sim::transaction
