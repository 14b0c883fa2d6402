#include "mps/spawn.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "mps/wire/wire.hpp"

namespace nvmlkit::mps {
namespace {

// In the child, with both ends above the numbers that they get.
[[noreturn]] void become_server(const char* program, uid_t user, int ready, int lifeline) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (dup2(ready, kReadyEnd) < 0 || dup2(lifeline, kLifelineEnd) < 0) _exit(1);
  const bool changes_user = geteuid() == 0 && user != 0;
  if (changes_user && (setgroups(0, nullptr) != 0 || setresuid(user, user, user) != 0)) _exit(1);
  setenv(kServerVariable, "1", 1);
  execl(program, "nvidia-cuda-mps-server", static_cast<char*>(nullptr));
  _exit(1);
}

// In the child of list_gpus().
[[noreturn]] void become_list(const char* program, int output) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (dup2(output, STDOUT_FILENO) < 0) _exit(1);
  setenv(kServerVariable, "1", 1);
  execl(program, "nvidia-cuda-mps-server", kListOption, static_cast<char*>(nullptr));
  _exit(1);
}

}  // namespace

std::optional<std::string> list_gpus(const std::string& program) {
  int output[2];
  if (pipe2(output, O_CLOEXEC) != 0) return {};
  const pid_t pid = fork();
  if (pid == 0) become_list(program.c_str(), output[1]);
  close(output[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; pid > 0;) {
    got = read(output[0], buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  close(output[0]);
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) return {};
  return text;
}

std::optional<Started> spawn_server(const std::string& program, uid_t user) {
  int ready[2], lifeline[2];
  if (pipe2(ready, O_CLOEXEC) != 0) return {};
  if (pipe2(lifeline, O_CLOEXEC) != 0) {
    close(ready[0]), close(ready[1]);
    return {};
  }
  const int ready_end = fcntl(ready[1], F_DUPFD_CLOEXEC, 10), lifeline_end = fcntl(lifeline[0], F_DUPFD_CLOEXEC, 10);
  const pid_t pid = ready_end < 0 || lifeline_end < 0 ? -1 : fork();
  if (pid == 0) become_server(program.c_str(), user, ready_end, lifeline_end);
  for (const int end : {ready[1], lifeline[0], ready_end, lifeline_end})
    if (end >= 0) close(end);
  if (pid > 0) return Started{pid, ready[0], lifeline[1]};
  close(ready[0]), close(lifeline[1]);
  return {};
}

}  // namespace nvmlkit::mps
