// nvidia-cuda-mps-control: starts the MPS control daemon, or hands it the commands of its standard input.
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>

#include "mps/start.hpp"
#include "mps/wire/wire.hpp"

namespace {

// False: there is no daemon.
bool hand_over(const std::string& line) {
  const int connection = nvmlkit::mps::connect_to(nvmlkit::mps::pipe_directory());
  if (connection < 0 || !nvmlkit::mps::send_line(connection, line)) return false;
  while (const auto answer = nvmlkit::mps::receive_line(connection)) std::printf("%s\n", answer->c_str());
  std::fflush(stdout);
  return true;
}

int interact() {
  for (std::string line; std::getline(std::cin, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (!hand_over(line)) {
      std::puts("Cannot find MPS control daemon process");
      return 1;
    }
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  using nvmlkit::mps::Place;
  if (count == 1) return interact();
  if (count == 2 && std::strcmp(arguments[1], "-d") == 0) return nvmlkit::mps::start_daemon(Place::background);
  if (count == 2 && std::strcmp(arguments[1], "-f") == 0) return nvmlkit::mps::start_daemon(Place::foreground);
  std::fprintf(stderr, "Usage: nvidia-cuda-mps-control [-d | -f]\n");
  return 1;
}
