// nvidia-imex-ctl: asks the IMEX services.
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "imex/config.hpp"
#include "imex/domain.hpp"
#include "imex/net.hpp"

namespace {

using namespace nvmlkit::imex;

struct Options {
  std::string config = kConfigPath, socket;
  bool asks_status = false, asks_domain = false, as_json = false, with_names = false;
};

int usage() {
  std::fprintf(stderr,
               "Usage: nvidia-imex-ctl [-c FILE] -q [-u SOCKET]   the status of this node's service\n"
               "       nvidia-imex-ctl [-c FILE] -N [-j] [-H]     all nodes of the domain; -j: as JSON, -H: with names "
               "of hosts\n");
  return EXIT_FAILURE;
}

// As NVIDIA's shows it: 5/12/2025 06:08:10.580.
std::string time_now() {
  const auto now = std::chrono::system_clock::now();
  const auto seconds = std::chrono::system_clock::to_time_t(now);
  const auto part = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm parts{};
  localtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%d/%d/%d %02d:%02d:%02d.%03d", parts.tm_mon + 1, parts.tm_mday,
                parts.tm_year + 1900, parts.tm_hour, parts.tm_min, parts.tm_sec, static_cast<int>(part));
  return text.data();
}

int show_status(const Config& config, const std::string& named) {
  const auto& path = named.empty() ? config.command_socket : named;
  const auto& host = config.command_address.empty() ? std::string("127.0.0.1") : config.command_address;
  const auto connection = !path.empty() ? connect_to_path(path) : connect_to(host, config.command_port, 5);
  const auto line = connection && send_text(connection, "status\n") ? receive_line(connection, 5) : std::nullopt;
  if (!line) {
    std::fprintf(stderr, "Query Status returned error code: 14\n");
    return EXIT_FAILURE;
  }
  std::printf("%s\n", line->c_str());
  return EXIT_SUCCESS;
}

int show_domain(const Config& config, const Options& options) {
  const auto nodes = read_nodes(config.nodes_file);
  if (!nodes) {
    std::fprintf(stderr, "Failed to read node configuration file %s\n", config.nodes_file.c_str());
    return EXIT_FAILURE;
  }
  const auto views = ask_nodes(*nodes, config.command_port);
  const auto text =
      options.as_json ? as_json(views, time_now(), options.with_names) : as_text(views, time_now(), options.with_names);
  std::fputs(text.c_str(), stdout);
  return EXIT_SUCCESS;
}

// False: the word is none of its own.
bool take(Options& options, const std::string& word, const char* next, bool& took_next) {
  took_next = (word == "-c" || word == "-u") && next;
  if (word == "-c" && next)
    options.config = next;
  else if (word == "-u" && next)
    options.socket = next;
  else if (word.rfind("--u=", 0) == 0)
    options.socket = word.substr(4);
  else if (word == "-q")
    options.asks_status = true;
  else if (word == "-N")
    options.asks_domain = true;
  else if (word == "-j")
    options.as_json = true;
  else if (word == "-H")
    options.with_names = true;
  else
    return false;
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    bool took_next = false;
    if (!take(options, arguments[i], i + 1 < count ? arguments[i + 1] : nullptr, took_next)) return usage();
    i += took_next ? 1 : 0;
  }
  if (options.asks_status == options.asks_domain) return usage();
  std::string problem;
  auto config = read_config(options.config, problem);
  // The Unix socket is enough for the status.
  if (!config && options.asks_status && !options.socket.empty()) config.emplace();
  if (!config) {
    std::fprintf(stderr, "%s\n", problem.c_str());
    return EXIT_FAILURE;
  }
  return options.asks_status ? show_status(*config, options.socket) : show_domain(*config, options);
}
