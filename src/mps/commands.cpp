#include "mps/commands.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "mps/daemon.hpp"

namespace nvmlkit::mps {
namespace {

using Words = std::span<const std::string>;

template <class T>
std::optional<T> number_of(std::string_view text) {
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::string no_server(std::string_view pid) { return fmt::format("Server {} not found\n", pid); }

Server* server_at(Daemon& daemon, std::string_view pid) {
  const auto number = number_of<pid_t>(pid);
  return number ? daemon.find_server(*number) : nullptr;
}

std::string start_server(Daemon& daemon, Words words) {
  const auto user = words.size() == 3 && words[1] == "-uid" ? number_of<uid_t>(words[2]) : std::nullopt;
  if (!user) return "Usage: start_server -uid <user id>\n";
  if (geteuid() != 0 && *user != geteuid()) return "A server of another user needs a daemon of root\n";
  return daemon.server_for(*user) != 0 ? "" : "A server of another user is running\n";
}

std::string server_list(Daemon& daemon, Words) {
  std::string out;
  for (const auto& [pid, server] : daemon.servers()) out += fmt::format("{}\n", pid);
  return out;
}

std::string server_status(Daemon& daemon, Words words) {
  const auto* server = server_at(daemon, words[1]);
  if (server == nullptr) return no_server(words[1]);
  return server->ready < 0 ? "ACTIVE\n" : "INITIALIZING\n";
}

std::string client_list(Daemon& daemon, Words words) {
  const auto* server = server_at(daemon, words[1]);
  if (server == nullptr) return no_server(words[1]);
  std::string out;
  for (const auto* client : daemon.clients_of(server->pid)) out += fmt::format("{}\n", client->pid);
  return out;
}

std::string command_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/cmdline", pid));
  std::string first;
  std::getline(file, first, '\0');
  return first;
}

std::string namespace_of(pid_t pid) {
  struct stat info {};
  return stat(fmt::format("/proc/{}/ns/pid", pid).c_str(), &info) == 0 ? fmt::format("{}", info.st_ino) : "N/A";
}

// The head stands there if a client does.
std::string processes(Daemon& daemon, Words words) {
  if (daemon.servers().empty()) return "Server not found\n";
  const auto only = words.size() == 3 && words[1] == "-p" ? number_of<pid_t>(words[2]) : std::nullopt;
  std::string out;
  for (const auto& [pid, server] : daemon.servers())
    for (const auto* client : daemon.clients_of(pid)) {
      if (only && client->pid != *only) continue;
      std::istringstream devices(client->devices);
      for (std::string device; std::getline(devices, device, ',');)
        out += fmt::format("{:<9} {:<5} {:<9} {:<22} {:<10} {}\n", client->pid, 0, pid, device.substr(0, 22),
                           namespace_of(client->pid), command_of(client->pid));
    }
  if (out.empty()) return out;
  return fmt::format("{:<9} {:<5} {:<9} {:<22} {:<10} {}\n", "PID", "ID", "SERVER", "DEVICE", "NAMESPACE", "COMMAND") +
         out;
}

std::string set_percent(Settings& settings, std::string_view text) {
  const auto percent = percent_of(text);
  if (!percent) return fmt::format("{} is no percentage above 0, up to 100\n", text);
  settings.percent = *percent;
  return percent_text(*percent) + "\n";
}

std::string set_memory(Settings& settings, std::string_view device, std::string_view text) {
  const auto bytes = size_of(text);
  if (!bytes) return fmt::format("{} is no limit such as 10G or 512M\n", text);
  set_limit(settings.limits, device, *bytes);
  return "";
}

// Nothing for a device without a limit.
std::string get_memory(const Settings& settings, std::string_view device) {
  for (const auto& limit : settings.limits)
    if (limit.device == device) return size_text(limit.bytes) + "\n";
  return "";
}

std::string default_priority(Daemon& daemon, Words) { return fmt::format("{}\n", daemon.defaults().priority); }
std::string set_default_priority(Daemon& daemon, Words words) {
  const auto priority = number_of<unsigned>(words[1]);
  if (!priority || *priority > 1) return fmt::format("{} is no priority: 0 normal, 1 below normal\n", words[1]);
  daemon.defaults().priority = *priority;
  return "";
}

std::string default_percent(Daemon& daemon, Words) { return percent_text(daemon.defaults().percent) + "\n"; }
std::string set_default_percent(Daemon& daemon, Words words) { return set_percent(daemon.defaults(), words[1]); }
std::string default_memory(Daemon& daemon, Words words) { return get_memory(daemon.defaults(), words[1]); }
std::string set_default_memory(Daemon& daemon, Words words) {
  return set_memory(daemon.defaults(), words[1], words[2]);
}

std::string server_percent(Daemon& daemon, Words words) {
  const auto* server = server_at(daemon, words[1]);
  return server != nullptr ? percent_text(server->settings.percent) + "\n" : no_server(words[1]);
}
std::string set_server_percent(Daemon& daemon, Words words) {
  auto* server = server_at(daemon, words[1]);
  return server != nullptr ? set_percent(server->settings, words[2]) : no_server(words[1]);
}
std::string server_memory(Daemon& daemon, Words words) {
  const auto* server = server_at(daemon, words[1]);
  return server != nullptr ? get_memory(server->settings, words[2]) : no_server(words[1]);
}
std::string set_server_memory(Daemon& daemon, Words words) {
  auto* server = server_at(daemon, words[1]);
  return server != nullptr ? set_memory(server->settings, words[2], words[3]) : no_server(words[1]);
}

std::string shutdown_server(Daemon& daemon, Words words) {
  auto* server = server_at(daemon, words[1]);
  if (server == nullptr) return no_server(words[1]);
  daemon.shut_down(*server, words.size() == 3 && words[2] == "-f");
  return "";
}

// One line for each device, in the order of the devices; an estimate.
std::string device_clients(Daemon& daemon, Words words) {
  if (words.size() == 2 && server_at(daemon, words[1]) == nullptr) return no_server(words[1]);
  std::map<std::string, std::string> clients;
  for (const auto& [pid, server] : daemon.servers()) {
    if (words.size() == 2 && number_of<pid_t>(words[1]) != pid) continue;
    for (const auto* client : daemon.clients_of(pid)) {
      std::istringstream devices(client->devices);
      for (std::string device; std::getline(devices, device, ',');) clients[device] += fmt::format(" {}", client->pid);
    }
  }
  std::string out;
  for (const auto& [device, pids] : clients) out += fmt::format("{}:{}\n", device, pids);
  return out;
}

// NVIDIA's program prints 0, a CUresult.
std::string terminate_client(Daemon& daemon, Words words) {
  auto* server = server_at(daemon, words[1]);
  if (server == nullptr) return no_server(words[1]);
  const auto client = number_of<pid_t>(words[2]);
  if (!client || !daemon.terminate_client(server->pid, *client)) return fmt::format("Client {} not found\n", words[2]);
  return "0\n";
}

std::string sm_partition(Daemon& daemon, Words words) {
  if (daemon.division() == Division::none) return "Failed: static partitioning is off; start the daemon with -S\n";
  if (words[1] == "add") return daemon.partitions().add(daemon.gpus(), words[2], words[3]);
  if (words[1] == "rm")
    return daemon.partitions().remove(daemon.gpus(), words[2], words[3], daemon.partitions_in_use());
  return "Usage: sm_partition add <device UUID> <chunks> | sm_partition rm <device UUID> <partition>\n";
}

// Nothing without static partitioning.
std::string list_partitions(Daemon& daemon, Words) {
  if (daemon.division() == Division::none) return "";
  return daemon.partitions().table(daemon.gpus(), daemon.partitions_in_use());
}

struct Command {
  std::string_view name;
  std::size_t least, most;  // words, its name included
  std::string (*answer)(Daemon&, Words);
};

constexpr Command kCommands[] = {
    {"get_server_list", 1, 1, server_list},
    {"get_server_status", 2, 2, server_status},
    {"start_server", 3, 3, start_server},
    {"get_client_list", 2, 2, client_list},
    {"get_device_client_list", 1, 2, device_clients},
    {"terminate_client", 3, 3, terminate_client},
    {"ps", 1, 3, processes},
    {"get_default_client_priority", 1, 1, default_priority},
    {"set_default_client_priority", 2, 2, set_default_priority},
    {"get_default_active_thread_percentage", 1, 1, default_percent},
    {"set_default_active_thread_percentage", 2, 2, set_default_percent},
    {"get_active_thread_percentage", 2, 2, server_percent},
    {"set_active_thread_percentage", 3, 3, set_server_percent},
    {"get_default_device_pinned_mem_limit", 2, 2, default_memory},
    {"set_default_device_pinned_mem_limit", 3, 3, set_default_memory},
    {"get_device_pinned_mem_limit", 3, 3, server_memory},
    {"set_device_pinned_mem_limit", 4, 4, set_server_memory},
    {"shutdown_server", 2, 3, shutdown_server},
};

// Of CUDA 13.1; older programs do not know them.
constexpr Command kPartitionCommands[] = {
    {"sm_partition", 4, 4, sm_partition},
    {"lspart", 1, 1, list_partitions},
};

std::optional<std::string> answer_of(std::span<const Command> commands, Daemon& daemon, Words words) {
  for (const auto& command : commands) {
    if (command.name != words[0]) continue;
    if (words.size() < command.least || words.size() > command.most)
      return fmt::format("Wrong number of arguments of {}\n", words[0]);
    return command.answer(daemon, words);
  }
  return {};
}

}  // namespace

std::string answer_to(std::string_view line, Daemon& daemon, Peer& asking) {
  std::istringstream text{std::string(line)};
  const std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
  if (words.empty()) return "";
  if (words[0] == "quit") {
    const auto seconds = words.size() == 3 && words[1] == "-t" ? number_of<int>(words[2]) : std::nullopt;
    daemon.quit(asking, seconds.value_or(-1));
    return "";
  }
  if (auto answer = answer_of(kCommands, daemon, words)) return *answer;
  const bool divides = words[0] == "sm_partition" || words[0] == "lspart";
  if (divides && daemon.gpus().cuda >= kFirstCuda)
    if (auto answer = answer_of(kPartitionCommands, daemon, words)) return *answer;
  return fmt::format("Unknown command \"{}\"\n", words[0]);
}

}  // namespace nvmlkit::mps
