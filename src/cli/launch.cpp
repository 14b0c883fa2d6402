#include "cli/launch.hpp"

#include <fmt/format.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include "cli/command_error.hpp"
#include "sim/traits/driver_branch.hpp"

namespace nvmlkit::cli {
namespace fs = std::filesystem;

namespace {

// The file of this program. Without /proc, as in a bare chroot, what the kernel was asked to execute.
fs::path own_file() {
  std::error_code error;
  if (const fs::path self = fs::read_symlink("/proc/self/exe", error); !self.empty()) return self;
  const auto* executed = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  return executed == nullptr ? fs::path() : fs::absolute(executed, error);
}

// The driver of a branch has its own NVML and shares the rest.
fs::path shared_folder(const fs::path& driver) {
  const bool of_branch = driver.parent_path().filename() == "impersonate";
  return of_branch ? driver.parent_path().parent_path() : driver;
}

}  // namespace

std::optional<fs::path> driver_directory() {
  std::error_code error;
  const fs::path self = own_file();
  // Installed, then in a build folder. In this order: the lib of a system prefix may hold NVIDIA's own library.
  for (const fs::path& candidate : {self.parent_path() / NVMLKIT_DRIVER_DIR, self.parent_path() / "../lib"}) {
    if (!fs::exists(candidate / "libnvidia-ml.so.1", error)) continue;
    if (const char* driver = std::getenv("NVMLKIT_DRIVER")) {
      const fs::path branch = candidate / "impersonate" / std::to_string(sim::branch_number(driver));
      if (fs::exists(branch / "libnvidia-ml.so.1", error)) return fs::weakly_canonical(branch, error);
    }
    return fs::weakly_canonical(candidate, error);
  }
  return std::nullopt;
}

fs::path own_driver() {
  if (const auto found = driver_directory()) return *found;
  throw CommandError(sim::missing("libnvidia-ml.so.1 beside this program (../lib/nvmlkit, ../lib)"), kFailed);
}

std::string search_path(const fs::path& driver) {
  std::string path = driver.string();
  if (const auto shared = shared_folder(driver); shared != driver) path += fmt::format(":{}", shared.string());
  // An empty entry would mean the current folder.
  const char* inherited = std::getenv("LD_LIBRARY_PATH");
  if (inherited != nullptr && *inherited != '\0') path += fmt::format(":{}", inherited);
  return path;
}

namespace {

// nvidia-cuda-mps-control, its server and ptxas lie beside the libraries. Triton looks for its own ptxas unless it is
// told another.
void add_programs(const fs::path& driver) {
  const auto folder = shared_folder(driver);
  std::error_code error;
  if (!fs::exists(folder / "nvidia-cuda-mps-control", error)) return;
  const char* inherited = std::getenv("PATH");
  const std::string rest = inherited != nullptr ? fmt::format(":{}", inherited) : "";
  setenv("PATH", (folder.string() + rest).c_str(), 1);
  const auto assembler = folder / "ptxas";
  if (!fs::exists(assembler, error)) return;
  for (const char* name : {"TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"}) setenv(name, assembler.c_str(), 0);
}

// XLA (JAX) times several implementations of a product and compares their results, by kernels that it carries for
// hardware alone. The first one will do. Flags that do not begin with a dash are the name of a file.
void add_xla_flags() {
  constexpr std::string_view kOption = "--xla_gpu_autotune_level";
  const char* const inherited = std::getenv("XLA_FLAGS");
  const std::string flags = inherited != nullptr ? inherited : "";
  const auto begin = flags.find_first_not_of(' ');
  const bool names_file = begin != std::string::npos && flags[begin] != '-';
  if (names_file || flags.find(kOption) != std::string::npos) return;
  setenv("XLA_FLAGS", fmt::format("{}{}{}=0", flags, flags.empty() ? "" : " ", kOption).c_str(), 1);
}

// For libraries that the program finds by RPATH or by a path, which come before LD_LIBRARY_PATH. Other audit libraries
// stay.
void add_audit(const fs::path& driver) {
  const char* const keep = std::getenv(kKeepRpath);
  const auto library = shared_folder(driver) / "libnvmlkit-audit.so";
  std::error_code error;
  if ((keep != nullptr && std::string_view(keep) == "1") || !fs::exists(library, error)) return;
  const char* const others = std::getenv("LD_AUDIT");
  const bool some = others != nullptr && *others != '\0';
  if (some && std::string_view(others).find(library.native()) != std::string_view::npos) return;
  setenv("LD_AUDIT", (library.native() + (some ? fmt::format(":{}", others) : "")).c_str(), 1);
}

}  // namespace

int launch(const fs::path& driver, std::vector<std::string> command) {
  setenv("LD_LIBRARY_PATH", search_path(driver).c_str(), 1);
  add_audit(driver);
  add_programs(driver);
  add_xla_flags();

  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  execvp(arguments[0], arguments.data());
  const int reason = errno;
  fmt::print(stderr, "nvmlkit: cannot run '{}': {}\n", command[0],
             reason == ENOENT ? "no such program" : std::strerror(reason));
  return reason == ENOENT ? 127 : 126;
}

namespace {

// Signals that whoever started us sends to us and means for the program. Those of the terminal reach it by themselves.
constexpr int kHandedOn[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH};

// Waits for the child's end, handing on what comes in; `signals` are blocked.
Ended wait_for(pid_t child, const sigset_t& signals, std::chrono::seconds longest) {
  const auto begun = std::chrono::steady_clock::now();
  constexpr timespec kPatience{1, 0};
  Ended out;
  while (true) {
    siginfo_t info{};
    const int got = longest.count() > 0 ? sigtimedwait(&signals, &info, &kPatience) : sigwaitinfo(&signals, &info);
    if (got > 0 && got != SIGCHLD && info.si_code != SI_KERNEL) kill(child, got);
    out.is_interrupted |= got == SIGINT || got == SIGQUIT || got == SIGTERM || got == SIGHUP;
    if (waitpid(child, &out.status, WNOHANG) == child) return out;
    if (longest.count() == 0 || out.is_late || std::chrono::steady_clock::now() - begun < longest) continue;
    out.is_late = true;
    kill(child, SIGKILL);
  }
}

// The signals that this process had blocked when it first started a program.
const sigset_t& block(const sigset_t& signals) {
  static const sigset_t before = [&] {
    sigset_t out;
    sigprocmask(SIG_BLOCK, &signals, &out);
    return out;
  }();
  return before;
}

// Ends this process by the signal that ended the program, without a second core file.
void die_of(int signal) {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  raise(signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
}

}  // namespace

Ended launch_and_watch(const fs::path& driver, std::vector<std::string> command, const Around& around) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  for (const int signal : kHandedOn) sigaddset(&signals, signal);
  const auto& before = block(signals);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    const int refused = around.before();
    const int result = refused != 0 ? refused : launch(driver, std::move(command));
    std::fflush(nullptr);
    _exit(result);
  }
  const int problem = errno;
  const auto ended = child > 0 ? wait_for(child, signals, around.longest) : Ended{};
  around.after(child);
  if (child < 0) fmt::print(stderr, "nvmlkit: cannot start a process: {}\n", std::strerror(problem));
  return ended;
}

int end_as(int status) {
  if (status < 0) return 1;
  if (WIFSIGNALED(status)) die_of(WTERMSIG(status));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int launch_and_wait(const fs::path& driver, std::vector<std::string> command, const Around& around) {
  return end_as(launch_and_watch(driver, std::move(command), around).status);
}

}  // namespace nvmlkit::cli
