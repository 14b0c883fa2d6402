#include "cli/describe/reference.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/describe/outline.hpp"

namespace nvmlkit::cli {
namespace {

// A cell of a table.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string table(const std::string& term, const std::string& meaning, const Terms& rows) {
  std::string out = fmt::format("| {} | {} |\n|---|---|\n", term, meaning);
  for (const auto& [left, right] : rows) out += fmt::format("| `{}` | {} |\n", cell(left), cell(right));
  return out + "\n";
}

std::string anchor(const CommandNode& node) {
  auto name = node.full_name();
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string chapter(const CommandNode& node) {
  std::string out =
      fmt::format("## {}\n\n{}.\n\n```sh\n{}\n```\n\n", node.full_name(), node.command.summary, usage_of(node));
  for (const auto& paragraph : paragraphs_of(node.command))
    out += paragraph.preformatted ? fmt::format("```\n{}\n```\n\n", paragraph.text) : paragraph.text + "\n\n";
  for (const auto& section : sections_of(node)) {
    Terms rows;
    for (const auto* parameter : section.parameters) rows.emplace_back(term_of(*parameter), meaning_of(*parameter));
    out += table(section.heading, "Meaning", rows);
  }
  if (!node.command.examples.empty()) {
    Terms rows;
    for (const auto& example : node.command.examples) rows.emplace_back(example.line, example.meaning);
    out += table("Example", "Meaning", rows);
  }
  return out;
}

}  // namespace

std::string reference_page(const CommandNode& root) {
  std::string out = fmt::format(
      "# The {0} command\n\nMade by `{0} help --reference` from the descriptions that `--help`, the man pages and the "
      "completion of shells come from.\n\n",
      root.word);
  for (const auto& group : groups_of(root)) {
    out += fmt::format("**{}**\n\n| Command | Meaning |\n|---|---|\n", group.heading);
    for (const auto* command : group.commands) {
      const auto leaves = command->children.empty() ? std::vector<const CommandNode*>{command} : leaves_of(*command);
      for (const auto* leaf : leaves)
        out += fmt::format("| [`{}`](#{}) | {} |\n", leaf->full_name(), anchor(*leaf), cell(leaf->command.summary));
    }
    out += "\n";
  }
  for (const auto* leaf : leaves_of(root)) out += chapter(*leaf);
  out += "## Environment\n\n" + table("Variable", "Meaning", variables());
  out += "## Files\n\n" + table("File", "Meaning", files());
  out += "## Exit status\n\n" + table("Status", "Meaning", exit_statuses());
  out.pop_back();
  return out;
}

}  // namespace nvmlkit::cli
