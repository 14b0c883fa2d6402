// What help, man pages and the reference have in common: the parts of a description, before any markup.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"

namespace nvmlkit::cli {

// "nvmlkit get [OPTIONS] GPUS [PATH]"
std::string usage_of(const CommandNode& node);

// "-m, --machine MACHINE"; of an argument its label.
std::string term_of(const Parameter& parameter);
// What it is, with its choices and its default.
std::string meaning_of(const Parameter& parameter);

struct Section {
  std::string heading;
  std::vector<const Parameter*> parameters;
};
// Arguments first, then options, by heading.
std::vector<Section> sections_of(const CommandNode& node);

struct CommandGroup {
  std::string heading;
  std::vector<const CommandNode*> commands;
};
// The commands right below, without hidden ones.
std::vector<CommandGroup> groups_of(const CommandNode& node);

// A paragraph of details is text, or lines that stay as they are.
struct Paragraph {
  std::string text;
  bool preformatted;
};
std::vector<Paragraph> paragraphs_of(const Command& command);

// All commands that do something, without hidden ones, in order.
std::vector<const CommandNode*> leaves_of(const CommandNode& root);

// Environment variables, files and exit statuses of all commands: a term and its meaning.
using Terms = std::vector<std::pair<std::string, std::string>>;
Terms variables();
Terms files();
Terms exit_statuses();

// In lines of at most `width`, each behind `indent`; the first line goes on at `column`.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width, std::size_t column);

}  // namespace nvmlkit::cli
