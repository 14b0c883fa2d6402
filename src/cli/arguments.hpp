// The options and arguments that a command declares. One declaration serves the parser, --help, the man page, the
// reference and the completion of shells.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace nvmlkit::cli {

struct CommandNode;

// What a value is: decides the word that stands for it in texts, and what a shell completes.
enum class Kind {
  flag,  // has no value
  text,
  number,
  file,
  folder,
  machine,   // a built-in machine or a machine file
  driver,    // a branch or a version
  gpu,       // gpu=0, gpu=UUID, gpu=BUS-ID, gpu=all
  gpu_list,  // gpu=0,1
  field,     // power.limit_mw, or a group of fields
  assignment,
  name,  // of a machine that is up
  fault,
  command,  // of nvmlkit itself
  program,  // and its arguments
};

struct Parameter {
  std::string names;  // "-m,--machine", or the label of an argument
  std::string label;  // what stands for its value
  std::string help;
  std::string section;  // the heading that it stands under
  std::string default_text;
  std::vector<std::string> choices;  // the only values, or examples of them
  Kind kind = Kind::text;
  bool positional = false;
  bool required = false;
  bool strict = false;  // nothing but the choices is taken
  bool repeated = false;

  std::string longest_name() const;  // "--machine"
  bool is_named(std::string_view name) const;
};

// A parameter that was declared, to say more about it.
class Declared {
 public:
  Declared(CLI::Option* option, Parameter* parameter) : option_(option), parameter_(parameter) {}

  Declared& required();
  Declared& label(std::string text);
  Declared& default_text(std::string text);
  Declared& only(std::vector<std::string> choices);          // any other value is refused
  Declared& for_example(std::vector<std::string> examples);  // completed, and nothing is refused
  Declared& excludes(const Declared& other);
  Declared& needs(const Declared& other);
  bool given() const;

 private:
  CLI::Option* option_;
  Parameter* parameter_;
};

class Arguments {
 public:
  explicit Arguments(CommandNode& node) : node_(&node) {}

  // The heading of what is declared next; "Options" at first.
  void section(std::string heading) { section_ = std::move(heading); }

  // Variables are set when the command line is parsed and must live until then.
  Declared flag(const std::string& names, bool& value, const std::string& help);
  // With an optional value, as --name=VALUE; `value` is `otherwise` where the option has none.
  Declared flag(const std::string& names, const std::string& label, const std::string& otherwise, std::string& value,
                const std::string& help);
  Declared option(const std::string& names, Kind kind, std::string& value, const std::string& help);
  // May be given several times.
  Declared option(const std::string& names, Kind kind, std::vector<std::string>& values, const std::string& help);
  Declared option(const std::string& names, std::uint32_t& value, const std::string& help);
  Declared option(const std::string& names, std::optional<std::uint32_t>& value, const std::string& help);
  Declared argument(const std::string& label, Kind kind, std::string& value, const std::string& help);
  Declared argument(const std::string& label, Kind kind, std::vector<std::string>& values, const std::string& help);
  // A program: from its name on, every word belongs to it. The words are in CommandNode::program.
  void program(const std::string& label, const std::string& help);
  // The arguments of another program: from the first word that is no option of the command, with or without `--`.
  void foreign(const std::string& label, const std::string& help);

  // All commands, for those that are about commands.
  const CommandNode& root() const;
  const CommandNode& node() const { return *node_; }

 private:
  Declared add(CLI::Option* option, const std::string& names, Kind kind, const std::string& help);

  CommandNode* node_;
  std::string section_ = "Options";
};

}  // namespace nvmlkit::cli
