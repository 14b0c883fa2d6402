// nvidia-cuda-mps-control: starts the MPS control daemon, or hands it the commands of its standard input.
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>

#include "mps/daemon.hpp"
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

int refuse_without_daemon() {
  std::puts("Cannot find MPS control daemon process");
  return 1;
}

// The words of the program's arguments are one command.
int command_of(int count, char** arguments) {
  std::string line = arguments[1];
  for (int i = 2; i < count; ++i) line.append(1, ' ').append(arguments[i]);
  return hand_over(line) ? 0 : refuse_without_daemon();
}

int interact() {
  for (std::string line; std::getline(std::cin, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (!hand_over(line)) return refuse_without_daemon();
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  using nvmlkit::mps::Division;
  using nvmlkit::mps::Place;
  if (count == 1) return interact();
  if (arguments[1][0] != '-') return command_of(count, arguments);
  if (count == 2 && std::strcmp(arguments[1], "-v") == 0) return nvmlkit::mps::print_version();
  auto place = Place::background;
  auto division = Division::none;
  bool known = true;
  for (int i = 1; i < count; ++i) {
    const std::string option = arguments[i];
    if (option == "-f")
      place = Place::foreground;
    else if (option == "-S" || option == "--static-partitioning")
      division = Division::statically;
    else if (option != "-d")
      known = false;
  }
  if (known) return nvmlkit::mps::start_daemon(place, division);
  std::fprintf(stderr, "Usage: nvidia-cuda-mps-control [-d | -f] [-S] | -v | COMMAND\n");
  return 1;
}
