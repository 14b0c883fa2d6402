// nvmlkit help
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/describe/help_text.hpp"
#include "cli/describe/manual.hpp"
#include "cli/describe/outline.hpp"
#include "cli/describe/reference.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::cli {
namespace {

struct HelpOptions {
  std::vector<std::string> words;
  std::string manual;
  bool reference = false;
};

const CommandNode& find_command(const CommandNode& root, const std::vector<std::string>& words) {
  const CommandNode* at = &root;
  for (const auto& word : words) {
    const auto* next = at->child(word);
    if (next == nullptr) {
      std::vector<std::string_view> names;
      for (const auto& child : at->children)
        if (child.command.group != Group::hidden) names.push_back(child.word);
      auto problem = sim::unknown_name("command", word, names);
      problem.place.named_by = "help";
      throw CommandError(std::move(problem));
    }
    at = next;
  }
  return *at;
}

void write_manual(const CommandNode& node, const std::filesystem::path& folder) {
  const auto file = folder / (manual_name(node) + ".1");
  std::ofstream stream(file, std::ios::binary);
  stream << manual_page(node);
  if (!stream.flush()) throw CommandError(sim::unusable_file(file.string(), "cannot be written"));
  for (const auto& child : node.children)
    if (child.command.group != Group::hidden) write_manual(child, folder);
}

int show_help(const HelpOptions& options, const CommandNode& root) {
  if (!options.manual.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.manual, error);
    if (error) throw CommandError(sim::unusable_file(options.manual, "cannot be made: " + error.message()));
    write_manual(root, options.manual);
  } else if (options.reference) {
    fmt::print("{}", reference_page(root));
  } else {
    fmt::print("{}", help_text(find_command(root, options.words)));
  }
  return 0;
}

}  // namespace

Command help_command() {
  return {.name = "help",
          .summary = "Show the help of a command",
          .group = Group::help,
          .examples = {{"nvmlkit help vgpu create", "as nvmlkit vgpu create --help"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<HelpOptions>();
            arguments.argument("COMMAND", Kind::command, options->words, "The command; default: all of them");
            arguments.option("--man", Kind::folder, options->manual, "Write the man pages into this folder");
            arguments.flag("--reference", options->reference, "Print docs/reference/command.md");
            return [options, &root = arguments.root()] { return show_help(*options, root); };
          }};
}

}  // namespace nvmlkit::cli
