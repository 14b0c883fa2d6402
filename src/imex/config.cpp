#include "imex/config.hpp"

#include <charconv>
#include <fstream>
#include <string_view>

namespace nvmlkit::imex {
namespace {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// False: the text is no number.
bool take_number(std::string_view text, int& out) {
  if (text.empty()) return true;  // the default stays
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size();
}

// There is no encryption.
bool is_off(std::string_view text) {
  int number = 0;
  return take_number(text, number) && number == 0;
}

bool take_flag(std::string_view text, bool& out) {
  int number = out ? 1 : 0;
  if (!take_number(text, number)) return false;
  out = number != 0;
  return true;
}

// False: the value cannot be used. Keys that say nothing to this service are passed over.
bool take(Config& config, std::string_view key, std::string_view value) {
  if (key == "LOG_LEVEL") return take_number(value, config.log_level);
  if (key == "LOG_FILE_NAME") return config.log_file = value, true;
  if (key == "LOG_APPEND_TO_LOG") return take_flag(value, config.appends_to_log);
  if (key == "DAEMONIZE") return take_flag(value, config.runs_as_daemon);
  if (key == "BIND_INTERFACE_IP") return config.address = value, true;
  if (key == "SERVER_PORT") return take_number(value, config.port);
  if (key == "IMEX_NODE_CONFIG_FILE") return config.nodes_file = value, true;
  if (key == "IMEX_WAIT_FOR_QUORUM") return config.quorum = value, true;
  if (key == "IMEX_ENABLE_AUTH_ENCRYPTION") return is_off(value);
  if (key == "IMEX_CMD_ENABLED") return take_flag(value, config.takes_commands);
  if (key == "IMEX_CMD_BIND_INTERFACE_IP") return config.command_address = value, true;
  if (key == "IMEX_CMD_PORT") return take_number(value, config.command_port);
  if (key == "IMEX_CMD_UNIX_DOMAIN_PATH") return config.command_socket = value, true;
  if (key == "IMEX_NODE_DISCONNECTED_GRACE_TIME") return take_number(value, config.grace_seconds);
  return true;
}

}  // namespace

std::optional<Config> read_config(const std::string& path, std::string& problem) {
  std::ifstream file(path);
  if (!file) {
    problem = "Failed to read configuration file " + path;
    return std::nullopt;
  }
  Config config;
  for (std::string line; std::getline(file, line);) {
    const auto text = trim(line);
    const auto equals = text.find('=');
    if (text.empty() || text.front() == '#' || equals == std::string_view::npos) continue;
    const auto key = trim(text.substr(0, equals)), value = trim(text.substr(equals + 1));
    if (take(config, key, value)) continue;
    problem = path + ": " + std::string(key) + ": cannot use the value '" + std::string(value) + "'";
    return std::nullopt;
  }
  return config;
}

std::optional<std::vector<std::string>> read_nodes(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::vector<std::string> nodes;
  for (std::string line; std::getline(file, line);) {
    const auto text = trim(line);
    if (!text.empty() && text.front() != '#') nodes.emplace_back(text);
  }
  return nodes;
}

}  // namespace nvmlkit::imex
