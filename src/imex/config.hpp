// The files of IMEX: its configuration, lines of KEY=VALUE, and the list of nodes, an address or a name in each line.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace nvmlkit::imex {

inline constexpr const char* kConfigPath = "/etc/nvidia-imex/config.cfg";

struct Config {
  std::string log_file = "/var/log/nvidia-imex.log";  // empty: standard error
  bool appends_to_log = true, runs_as_daemon = true;
  int log_level = 4;
  std::string address;  // of the interface for other nodes; empty: by the list of nodes
  int port = 50000;
  std::string nodes_file = "/etc/nvidia-imex/nodes_config.cfg";
  std::string quorum = "RECOVERY";
  bool takes_commands = false;
  std::string command_address;  // empty: every interface
  int command_port = 0;         // 0: none
  std::string command_socket;   // of a Unix socket; empty: none
  int grace_seconds = -1;       // until a lost connection counts as ended; negative: for ever
};

// Nothing where the file cannot be read; `problem` is a line about it, or about a value that cannot be used.
std::optional<Config> read_config(const std::string& path, std::string& problem);

// The list of nodes in its order, without comments. Nothing where it cannot be read.
std::optional<std::vector<std::string>> read_nodes(const std::string& path);

}  // namespace nvmlkit::imex
