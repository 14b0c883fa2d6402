#include "mps/start.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "mps/daemon.hpp"
#include "mps/spawn.hpp"

namespace nvmlkit::mps {
namespace {

int refuse(const std::string& text) {
  std::printf("%s\n", text.c_str());
  return 1;
}

// The limits of the daemon's environment are those of each client.
std::optional<Settings> settings_of_environment() {
  Settings settings;
  if (const char* const text = std::getenv(kPercentVariable); text != nullptr && *text != '\0') {
    const auto percent = percent_of(text);
    if (!percent) return {};
    settings.percent = *percent;
  }
  if (const char* const text = std::getenv(kLimitVariable); text != nullptr && *text != '\0') {
    auto limits = limits_of(text);
    if (!limits) return {};
    settings.limits = std::move(*limits);
  }
  return settings;
}

// Held until the daemon's end; -1: another daemon has it.
int lock_directory(const std::string& directory) {
  const int lock = open((directory + "/control_lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0) return -1;
  if (flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
  close(lock);
  return -1;
}

int listen_in(const std::string& directory) {
  const auto path = directory + "/control";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return -1;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  unlink(path.c_str());
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) return -1;
  if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      chmod(path.c_str(), 0666) == 0 && listen(listener, 128) == 0)
    return listener;
  close(listener);
  return -1;
}

int watch_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT}) sigaddset(&set, signal);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  return signalfd(-1, &set, SFD_CLOEXEC);
}

// nvidia-cuda-mps-server lies beside this program.
std::string server_program() {
  char path[PATH_MAX];
  const auto length = readlink("/proc/self/exe", path, sizeof path);
  const std::string own(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  return own.substr(0, own.rfind('/') + 1) + "nvidia-cuda-mps-server";
}

void write_pid(const std::string& directory) {
  if (std::FILE* const file = std::fopen((directory + "/nvidia-cuda-mps-control.pid").c_str(), "we")) {
    std::fprintf(file, "%d", static_cast<int>(getpid()));
    std::fclose(file);
  }
}

// The exit status of the program that started the daemon.
int wait_for_end_of(const int (&begun)[2]) {
  close(begun[1]);
  char byte = 0;
  while (read(begun[0], &byte, 1) < 0 && errno == EINTR) {
  }
  return 0;
}

void leave_terminal() {
  setsid();
  if (chdir("/") != 0) return;
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {0, 1, 2})
    if (nowhere >= 0) dup2(nowhere, stream);
}

}  // namespace

int print_version() {
  const auto text = list_gpus(server_program());
  const auto list = text ? gpus_of(*text) : std::nullopt;
  if (!list) return refuse("No CUDA driver");
  std::printf("Binary version: %d\n", list->cuda);
  return 0;
}

int start_daemon(Place place, Division division) {
  const auto directory = pipe_directory();
  auto settings = settings_of_environment();
  if (!settings) return refuse(fmt::format("{} or {} has a value of another form", kPercentVariable, kLimitVariable));
  if (division == Division::statically) {
    const auto text = list_gpus(server_program());
    const auto list = text ? gpus_of(*text) : std::nullopt;
    if (!list || list->cuda < kFirstCuda) return refuse("-S needs a driver of CUDA 13.1 or newer: driver branch 590");
  }
  if (mkdir(directory.c_str(), 0777) != 0 && errno != EEXIST)
    return refuse(fmt::format("Failed to create the directory {}: {}", directory, std::strerror(errno)));
  const int lock = lock_directory(directory);
  if (lock < 0) return refuse("An instance of this daemon is already running");
  const int listener = listen_in(directory);
  if (listener < 0) return refuse(fmt::format("Failed to make the socket {}/control", directory));
  Log log(log_directory());
  int begun[2] = {-1, -1};  // its writing end is closed when the daemon has begun
  if (place == Place::background) {
    const pid_t child = pipe2(begun, O_CLOEXEC) == 0 ? fork() : -1;
    if (child < 0) return refuse("Failed to start the daemon");
    if (child > 0) return wait_for_end_of(begun);
    leave_terminal();
  }
  const int signals = watch_signals();
  write_pid(directory);
  for (const int end : begun)
    if (end >= 0) close(end);
  log.line(fmt::format("Starting control daemon using socket {}/control", directory));
  log.line(fmt::format("To connect CUDA applications to this daemon, set env {}={}", kPipeVariable, directory));
  Daemon daemon(listener, signals, server_program(), std::move(*settings), division, std::move(log));
  daemon.run();
  // Who waits for the answer to `quit` finds no daemon afterwards.
  close(listener);
  for (const char* name : {"/control", "/nvidia-cuda-mps-control.pid"}) unlink((directory + name).c_str());
  return 0;
}

}  // namespace nvmlkit::mps
