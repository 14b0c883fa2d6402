// Finding the driver library and starting a program with it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nvmlkit::cli {

// The folder with our libnvidia-ml.so.1: beside this program in a build tree or an installation. For a driver of a
// branch (NVMLKIT_DRIVER) that is the library that exports what that branch does, where there is one.
std::optional<std::filesystem::path> driver_directory();

// The same; refuses where there is none.
std::filesystem::path own_driver();

// A variable: 1 where the libraries stay that a program finds by RPATH or by a path.
inline constexpr const char* kKeepRpath = "NVMLKIT_KEEP_RPATH";

// LD_LIBRARY_PATH with our library in front of any other.
std::string search_path(const std::filesystem::path& driver);

// Becomes the program, with our libraries in front of any other, and in place of those of NVIDIA's toolkit. Returns
// only when the program cannot be started: 127 when there is none, else 126, after a message on stderr.
int launch(const std::filesystem::path& driver, std::vector<std::string> command);

// What is done around a program: first in its own process, before it starts, where a status other than 0 is its end;
// then here, when it has ended.
struct Around {
  std::function<int()> before = [] { return 0; };
  std::function<void(pid_t)> after = [](pid_t) {};
  std::chrono::seconds longest{0};  // then the program is killed; 0: never
};

// How a program ended.
struct Ended {
  int status = -1;              // of wait(); -1: no process could be started
  bool is_interrupted = false;  // somebody asked this process to end
  bool is_late = false;         // it was killed
};

// Starts the program, hands on the signals that reach this process and waits for its end.
Ended launch_and_watch(const std::filesystem::path& driver, std::vector<std::string> command, const Around& around);
// Ends as a program with this status ended: gives its exit status, or dies of its signal.
int end_as(int status);
// Both.
int launch_and_wait(const std::filesystem::path& driver, std::vector<std::string> command, const Around& around);

}  // namespace nvmlkit::cli
