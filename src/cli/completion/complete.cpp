#include "cli/completion/complete.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "cli/completion/values.hpp"

namespace nvmlkit::cli {
namespace {

// A command line read as far as it goes.
struct Reading {
  CommandLine line;
  const Parameter* waiting = nullptr;  // an option whose value comes next
  std::vector<const Parameter*> given;
  bool program = false;    // words belong to the program that is run
  bool separated = false;  // behind --
};

const Parameter* find_option(const CommandNode& node, std::string_view name) {
  for (const auto& parameter : node.parameters)
    if (parameter.is_named(name)) return &parameter;
  return nullptr;
}

// The argument that stands at this place; the last one may take several words.
const Parameter* find_argument(const CommandNode& node, std::size_t place) {
  const Parameter* last = nullptr;
  for (const auto& parameter : node.parameters) {
    if (!parameter.positional) continue;
    last = &parameter;
    if (place-- == 0) return last;
  }
  return last != nullptr && last->repeated ? last : nullptr;
}

void note_value(Reading& reading, const Parameter& option, const std::string& value) {
  if (option.is_named("--name")) reading.line.name = value;
  if (option.is_named("--state")) reading.line.state = value;
}

void read_word(Reading& reading, const std::string& word) {
  auto& line = reading.line;
  if (reading.program) {
    line.arguments.push_back(word);
  } else if (reading.waiting != nullptr) {
    note_value(reading, *std::exchange(reading.waiting, nullptr), word);
  } else if (word == "--") {
    reading.separated = reading.program = true;
  } else if (word.starts_with("-") && word != "-") {
    const auto equals = word.find('=');
    const auto* option = find_option(*line.command, word.substr(0, equals));
    if (option == nullptr) return;
    reading.given.push_back(option);
    if (equals != std::string::npos)
      note_value(reading, *option, word.substr(equals + 1));
    else if (option->kind != Kind::flag)
      reading.waiting = option;
  } else if (const auto* child = line.command->child(word); child != nullptr && line.arguments.empty()) {
    line.command = child;
  } else {
    line.arguments.push_back(word);
    const auto* argument = find_argument(*line.command, 0);
    reading.program = argument != nullptr && argument->kind == Kind::program;
  }
}

std::vector<Candidate> complete_option(const Reading& reading, const std::string& typed) {
  if (const auto equals = typed.find('='); equals != std::string::npos) {
    const auto* option = find_option(*reading.line.command, typed.substr(0, equals));
    if (option == nullptr || (option->kind == Kind::flag && option->choices.empty())) return {};
    auto out = complete_value(*option, reading.line, typed.substr(equals + 1));
    for (auto& candidate : out)
      if (!candidate.value.starts_with(":")) candidate.value.insert(0, typed.substr(0, equals + 1));
    return out;
  }
  std::vector<Candidate> out;
  for (const auto& parameter : reading.line.command->parameters) {
    const auto name = parameter.positional ? std::string() : parameter.longest_name();
    const bool given = std::find(reading.given.begin(), reading.given.end(), &parameter) != reading.given.end();
    if (!name.empty() && !given && name.starts_with(typed)) out.push_back({name, parameter.help});
  }
  return out;
}

std::vector<Candidate> complete_command(const CommandNode& node, const std::string& typed) {
  std::vector<Candidate> out;
  for (const auto& child : node.children)
    if (child.command.group != Group::hidden && child.word.starts_with(typed))
      out.push_back({child.word, child.command.summary});
  return out;
}

std::vector<Candidate> complete_reading(const Reading& reading, const std::string& typed) {
  const auto& line = reading.line;
  if (reading.program) {
    const bool runs = find_argument(*line.command, 0) && find_argument(*line.command, 0)->kind == Kind::program;
    if (!runs) return {};
    return {{line.arguments.empty() ? ":programs" : ":files", ""}};
  }
  if (reading.waiting != nullptr) return complete_value(*reading.waiting, line, typed);
  if (typed.starts_with("-")) return complete_option(reading, typed);
  if (!line.command->children.empty()) return complete_command(*line.command, typed);
  const auto* argument = find_argument(*line.command, line.arguments.size());
  return argument != nullptr ? complete_value(*argument, line, typed) : std::vector<Candidate>();
}

}  // namespace

std::vector<Candidate> complete(const CommandNode& root, std::vector<std::string> words) try {
  Reading reading;
  reading.line.command = &root;
  if (words.empty()) words.emplace_back();
  for (std::size_t i = 0; i + 1 < words.size(); ++i) read_word(reading, words[i]);
  return complete_reading(reading, words.back());
} catch (const std::exception&) {
  return {};
}

}  // namespace nvmlkit::cli
