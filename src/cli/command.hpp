// A command: its words, its options, what it does. Each lies in a file of its own under commands/.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"

namespace nvmlkit::cli {

// The headings under which commands are listed.
enum class Group { programs, machines, up, real, help, hidden };

struct Example {
  std::string line;
  std::string meaning;
};

// Does the work and returns the exit status; throws CommandError.
using Action = std::function<int()>;

struct Command {
  std::string name;     // "run", "vgpu create"
  std::string summary;  // one line, without a full stop
  Group group = Group::programs;
  std::string details = {};  // paragraphs, separated by empty lines; `code` in backquotes
  std::vector<Example> examples = {};
  std::function<Action(Arguments&)> declare = {};  // null for one that only has commands below it
};

// A command in the tree of all commands.
struct CommandNode {
  Command command;
  CLI::App* app = nullptr;
  CommandNode* parent = nullptr;       // null for nvmlkit itself
  std::string word;                    // the last of its name
  std::deque<Parameter> parameters;    // places stay
  std::deque<CommandNode> children;    // in the order of the list
  Action action;                       // null where `declare` is
  std::vector<std::string> program{};  // the words of the program of `run`, after parsing
  bool any_words = false;              // these words may begin with -, as options of another program

  std::string full_name() const;  // "nvmlkit vgpu create"
  const CommandNode* child(std::string_view name) const;
};

}  // namespace nvmlkit::cli
