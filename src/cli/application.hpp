// The command line as a whole: all commands, parsed and done.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace nvmlkit::cli {

class Application {
 public:
  // "nvmlkit vgpu create" stands below "nvmlkit vgpu", which comes before it in the list.
  Application(std::string program, std::string summary, const std::vector<Command>& commands);
  ~Application();

  // Does what the words behind the program's name say; returns the exit status, or throws CommandError.
  int run(std::vector<std::string> words);

  const CommandNode& root() const { return root_; }

 private:
  void add(const Command& command);
  void parse(std::vector<std::string> words);

  std::unique_ptr<CLI::App> app_;
  CommandNode root_;
};

}  // namespace nvmlkit::cli
