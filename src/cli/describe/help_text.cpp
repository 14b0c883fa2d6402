#include "cli/describe/help_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/describe/outline.hpp"

namespace nvmlkit::cli {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kIndent = 2;
constexpr std::size_t kTerm = 28;  // what stands in front of meanings

std::string help_entry(const std::string& term, const std::string& meaning) {
  std::string out(kIndent, ' ');
  out += term;
  if (out.size() + kIndent > kTerm)
    out += "\n" + std::string(kTerm, ' ');
  else
    out.resize(kTerm, ' ');
  return out + wrapped(meaning, kTerm, kWidth, kTerm) + "\n";
}

std::string examples_of(const Command& command) {
  if (command.examples.empty()) return {};
  std::string out = "\nExamples:\n";
  for (const auto& example : command.examples) out += fmt::format("  {}\n      {}\n", example.line, example.meaning);
  return out;
}

}  // namespace

std::string help_text(const CommandNode& node) {
  std::string out = fmt::format("{}\n\nUsage: {}\n", node.command.summary, usage_of(node));
  for (const auto& paragraph : paragraphs_of(node.command))
    out += "\n" + (paragraph.preformatted ? paragraph.text : wrapped(paragraph.text, 0, kWidth, 0)) + "\n";
  for (const auto& group : groups_of(node)) {
    out += "\n" + group.heading + ":\n";
    for (const auto* command : group.commands) out += help_entry(command->word, command->command.summary);
  }
  for (const auto& section : sections_of(node)) {
    out += "\n" + section.heading + ":\n";
    for (const auto* parameter : section.parameters) out += help_entry(term_of(*parameter), meaning_of(*parameter));
  }
  return out + examples_of(node.command);
}

}  // namespace nvmlkit::cli
