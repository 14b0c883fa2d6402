#include "cli/application.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "cli/command_error.hpp"
#include "cli/describe/help_text.hpp"
#include "sim/problem/names.hpp"

namespace nvmlkit::cli {
namespace {

using sim::quote;

void declare_help(CommandNode& node) {
  node.app->set_help_flag("-h,--help", "Show this help");
  node.app->formatter_fn([&node](const CLI::App*, const std::string&, CLI::AppFormatMode) { return help_text(node); });
  Parameter help;
  help.names = "-h,--help";
  help.help = "Show this help";
  help.section = "Options";
  help.kind = Kind::flag;
  node.parameters.push_back(help);
}

// The command that the words got to.
const CommandNode& chosen(const CommandNode& root) {
  const CommandNode* at = &root;
  while (true) {
    const auto next =
        std::find_if(at->children.begin(), at->children.end(), [](const auto& e) { return e.app->parsed(); });
    if (next == at->children.end()) return *at;
    at = &*next;
  }
}

std::string see_help(const CommandNode& node) { return fmt::format("see `{} --help`", node.full_name()); }

// No node has the name: the nearest one, or all of them, and where to read about them.
sim::Problem unknown_word(const CommandNode& node, std::string what, std::string_view given,
                          const std::vector<std::string>& names) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  const auto nearest = sim::nearest(given, known);
  const auto listing = nearest.empty() ? sim::valid_names(known) : std::string();
  return {.kind = sim::ProblemKind::unknown_name,
          .what = std::move(what),
          .nearest = std::string(nearest),
          .hint = listing + (listing.empty() ? "" : "; ") + see_help(node)};
}

// What is wrong with a word that nothing takes.
sim::Problem refuse_word(const CommandNode& node, const std::string& word) {
  std::vector<std::string> names;
  if (word.starts_with("-")) {
    for (const auto& parameter : node.parameters)
      if (!parameter.positional) names.push_back(parameter.longest_name());
    return unknown_word(node, "unknown option " + quote(word), word.substr(0, word.find('=')), names);
  }
  for (const auto& child : node.children)
    if (child.command.group != Group::hidden) names.push_back(child.word);
  const char* what = names.empty() ? "unexpected argument " : "unknown command ";
  return unknown_word(node, what + quote(word), word, names);
}

std::string first_unknown(const CommandNode& node) {
  const auto remaining = node.app->remaining(true);
  return remaining.empty() ? std::string() : remaining.front();
}

sim::Problem problem_of(const CLI::ParseError& error, const CommandNode& node) {
  const auto unknown = first_unknown(node);
  const bool no_command = !node.children.empty();
  if (!unknown.empty() && (no_command || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr))
    return refuse_word(node, unknown);
  std::string what = no_command ? "which command?" : error.what();
  std::replace(what.begin(), what.end(), '\n', ' ');
  return {.kind = sim::ProblemKind::syntax, .what = std::move(what), .hint = see_help(node)};
}

// Its message begins with the words of the command.
CommandError error_of(const CommandNode& node, const CommandNode& root, sim::Problem problem) {
  if (node.parent == nullptr) return CommandError(std::move(problem));
  return CommandError(of_argument(node.full_name().substr(root.word.size() + 1), std::move(problem)));
}

}  // namespace

Application::Application(std::string program, std::string summary, const std::vector<Command>& commands)
    : app_(std::make_unique<CLI::App>(summary, program)) {
  root_.app = app_.get();
  root_.word = std::move(program);
  root_.command.summary = std::move(summary);
  declare_help(root_);
  app_->set_version_flag("--version", root_.word + " " NVMLKIT_VERSION);
  Parameter version;
  version.names = "--version";
  version.help = "Show the version";
  version.section = "Options";
  version.kind = Kind::flag;
  root_.parameters.push_back(version);
  app_->require_subcommand(1);
  for (const auto& command : commands) add(command);
}

Application::~Application() = default;

void Application::add(const Command& command) {
  CommandNode* parent = &root_;
  std::string_view name = command.name;
  for (auto space = name.find(' '); space != std::string_view::npos; space = name.find(' ')) {
    parent = const_cast<CommandNode*>(parent->child(name.substr(0, space)));
    if (parent == nullptr) throw std::logic_error("no command above " + command.name);
    name.remove_prefix(space + 1);
  }
  auto& node = parent->children.emplace_back();
  node.command = command;
  node.parent = parent;
  node.word = std::string(name);
  node.app = parent->app->add_subcommand(node.word, command.summary);
  declare_help(node);
  if (!command.declare) {
    node.app->require_subcommand(1);
    return;
  }
  Arguments arguments(node);
  node.action = command.declare(arguments);
}

// What stands behind `--` belongs to the program that is run, whatever it is.
void Application::parse(std::vector<std::string> words) {
  const auto separator = std::find(words.begin(), words.end(), "--");
  const std::vector<std::string> behind(separator, words.end());
  words.erase(separator, words.end());
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app_->parse(words);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", help_text(chosen(root_)));
    throw;
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
    throw;
  } catch (const CLI::ParseError& error) {
    const auto& node = chosen(root_);
    throw error_of(node, root_, problem_of(error, node));
  }
  auto& node = const_cast<CommandNode&>(chosen(root_));
  if (!node.app->get_prefix_command()) {
    if (behind.size() > 1)
      throw error_of(node, root_,
                     {.kind = sim::ProblemKind::unknown_name,
                      .what = fmt::format("unexpected argument {} behind --", quote(behind[1])),
                      .hint = see_help(node)});
    return;
  }
  // The program may stand before `--`, which is then an argument of its own.
  node.program = node.app->remaining();
  if (!node.any_words && !node.program.empty() && node.program.front().starts_with("-"))
    throw error_of(node, root_, refuse_word(node, node.program.front()));
  node.program.insert(node.program.end(), behind.begin() + (node.program.empty() && !behind.empty() ? 1 : 0),
                      behind.end());
}

int Application::run(std::vector<std::string> words) {
  try {
    parse(std::move(words));
  } catch (const CLI::Success&) {
    return 0;
  }
  return chosen(root_).action();
}

}  // namespace nvmlkit::cli
