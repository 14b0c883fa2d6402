// nvidia-imex: the IMEX service of a node.
#include <fcntl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "imex/service.hpp"

namespace {

using namespace nvmlkit::imex;

int log_file = STDERR_FILENO, log_level = 4;

// One write for each line, in the form of NVIDIA's service.
void log_line(const char* level, const std::string& text) {
  std::array<char, 64> time{};
  const auto now = std::time(nullptr);
  std::tm parts{};
  std::strftime(time.data(), time.size(), "%b %d %Y %H:%M:%S", localtime_r(&now, &parts));
  const auto line = "[" + std::string(time.data()) + "] [" + level + "] [tid " + std::to_string(syscall(SYS_gettid)) +
                    "] " + text + "\n";
  if (write(log_file, line.data(), line.size()) < 0) return;  // nobody is left to tell
}
void log_info(const std::string& text) {
  if (log_level >= 4) log_line("INFO", text);
}
int fail(const std::string& text) {
  log_line("ERROR", text);
  if (log_file != STDERR_FILENO) std::fprintf(stderr, "%s\n", text.c_str());
  return EXIT_FAILURE;
}

void open_log(const Config& config) {
  log_level = config.log_level;
  if (config.log_file.empty()) return;
  const int file = open(config.log_file.c_str(),
                        O_WRONLY | O_CREAT | O_CLOEXEC | (config.appends_to_log ? O_APPEND : O_TRUNC), 0644);
  if (file >= 0) log_file = file;
}

// That of the configuration, or the one of the list that this host has.
std::string own_address(const Config& config, const std::vector<std::string>& nodes) {
  if (!config.address.empty()) return config.address;
  for (const auto& node : nodes)
    if (is_own_address(node)) return node;
  return {};
}

int signals_of_service() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&set, signal);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  return signalfd(-1, &set, SFD_CLOEXEC);
}

int usage() {
  std::fprintf(stderr, "Usage: nvidia-imex [-c FILE] [--nogpu]\n");
  return EXIT_FAILURE;
}

}  // namespace

int main(int count, char** arguments) {
  std::string path = kConfigPath, problem;
  bool needs_gpus = true;
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    if ((word == "-c" || word == "--config") && i + 1 < count)
      path = arguments[++i];
    else if (word == "--nogpu")
      needs_gpus = false;
    else
      return usage();
  }
  const auto config = read_config(path, problem);
  if (!config) return fail(problem);
  open_log(*config);
  auto nodes = read_nodes(config->nodes_file);
  if (!nodes || nodes->empty()) return fail("Failed to read node configuration file " + config->nodes_file);
  auto driver = needs_gpus ? Driver::open(problem) : std::nullopt;
  if (needs_gpus && !driver) return fail(problem);
  const int signals = signals_of_service();
  const auto address = own_address(*config, *nodes);
  // After the library has the machine, whose state it finds by the place of the program.
  if (config->runs_as_daemon && daemon(0, 0) != 0)
    return fail(std::string("cannot become a daemon: ") + std::strerror(errno));
  log_info("IMEX version " + (driver ? driver->version() : "NO_GPU") + " is running with the configuration file " +
           path);
  Service service(*config, *nodes, driver, log_info);
  if (!service.listen(address)) return EXIT_FAILURE;
  service.run(signals);
  log_info("Shutting down");
  std::_Exit(EXIT_SUCCESS);  // threads wait for other nodes, and use the service
}
