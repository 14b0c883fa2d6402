// Calls every function that a driver library exports, before nvmlInit, and prints what each returns.
// Every function is called in a child process of its own, so that a crash is an answer like any other.
//
//   before_init LIBRARY < SYMBOLS      one symbol per line; prints "symbol null-arguments zeroed-arguments"
//   before_init --errors LIBRARY       prints "code text" of nvmlErrorString
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>

namespace {

// All NVML parameters are pointers or integers: on the platforms here an argument more than a function takes does no
// harm, so that one signature serves all.
using AnyFunction = int (*)(void*, void*, void*, void*, void*, void*);

alignas(64) std::array<std::array<unsigned char, 65536>, 6> g_zeroed{};

std::string answer(AnyFunction function, bool zeroed) {
  std::array<int, 2> channel{};
  if (pipe(channel.data()) != 0) return "no-pipe";
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    std::array<void*, 6> arguments{};
    if (zeroed) {
      for (size_t i = 0; i < arguments.size(); ++i) arguments[i] = g_zeroed[i].data();
    }
    const int code = function(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
    if (write(channel[1], &code, sizeof code) != static_cast<ssize_t>(sizeof code)) _exit(2);
    _exit(0);
  }
  close(channel[1]);
  int code = 0;
  const bool answered = read(channel[0], &code, sizeof code) == static_cast<ssize_t>(sizeof code);
  close(channel[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (answered) return std::to_string(code);
  return WIFSIGNALED(status) ? std::string("signal-") + std::to_string(WTERMSIG(status)) : "silent";
}

}  // namespace

int main(int argc, char** argv) {
  const bool errors = argc == 3 && std::strcmp(argv[1], "--errors") == 0;
  if (argc != 2 && !errors) {
    std::fprintf(stderr, "usage: before_init [--errors] LIBRARY\n");
    return 2;
  }
  void* library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  if (errors) {
    const auto text = reinterpret_cast<const char* (*)(int)>(dlsym(library, "nvmlErrorString"));
    for (int code = -1; code <= 1001; ++code) std::printf("%d %s\n", code, text(code));
    return 0;
  }
  for (std::string symbol; std::getline(std::cin, symbol);) {
    void* address = dlsym(library, symbol.c_str());
    if (address == nullptr) {
      std::printf("%s missing missing\n", symbol.c_str());
      continue;
    }
    const auto function = reinterpret_cast<AnyFunction>(address);
    const std::string null_answer = answer(function, false);
    const std::string zeroed_answer = answer(function, true);
    std::printf("%s %s %s\n", symbol.c_str(), null_answer.c_str(), zeroed_answer.c_str());
  }
  return 0;
}
