#include "cli/describe/manual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/describe/outline.hpp"

namespace nvmlkit::cli {
namespace {

// Text as man(7) takes it: dashes stay dashes, no line is a request by accident, `code` is bold.
std::string escaped(const std::string& text) {
  std::string out;
  bool bold = false;
  for (const char c : text) {
    if (c == '`') {
      bold = !bold;
      out += bold ? "\\fB" : "\\fR";
    } else if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '~') {
      out += "\\(ti";
    } else if (c == '^') {
      out += "\\(ha";
    } else if (c == '\'') {
      out += "\\(aq";
    } else if (c == '"') {
      out += "\\(dq";
    } else if (c == '.' && (out.empty() || out.back() == '\n')) {
      out += "\\&.";
    } else {
      out += c;
    }
  }
  return out;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string section(const std::string& heading) { return fmt::format(".SH {}\n", escaped(upper(heading))); }

std::string manual_entry(const std::string& term, const std::string& meaning) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(term), escaped(meaning));
}

std::string terms(const std::string& heading, const Terms& all) {
  std::string out = section(heading);
  for (const auto& [term, meaning] : all) out += manual_entry(term, meaning);
  return out;
}

std::string description(const CommandNode& node) {
  std::string out = section("Description") + escaped(node.command.summary) + ".\n";
  for (const auto& paragraph : paragraphs_of(node.command))
    out += paragraph.preformatted ? fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(paragraph.text))
                                  : fmt::format(".PP\n{}\n", escaped(paragraph.text));
  return out;
}

std::string examples(const Command& command) {
  if (command.examples.empty()) return {};
  std::string out = section("Examples");
  for (const auto& example : command.examples) out += manual_entry(example.line, example.meaning);
  return out;
}

// The page of nvmlkit and of the command above; for nvmlkit those of all commands.
std::string see_also(const CommandNode& node) {
  std::vector<const CommandNode*> pages;
  if (node.parent != nullptr) pages.push_back(node.parent);
  for (const auto& child : node.children)
    if (child.command.group != Group::hidden) pages.push_back(&child);
  std::string out = section("See also");
  for (std::size_t i = 0; i < pages.size(); ++i)
    out += fmt::format(".BR {} (1){}\n", escaped(manual_name(*pages[i])), i + 1 < pages.size() ? "," : "");
  return out;
}

}  // namespace

std::string manual_name(const CommandNode& node) {
  auto name = node.full_name();
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string manual_page(const CommandNode& node) {
  std::string out = fmt::format(".TH {} 1 \"\" \"nvmlkit {}\" \"nvmlkit\"\n", escaped(upper(manual_name(node))),
                                escaped(NVMLKIT_VERSION));
  out += section("Name") + escaped(manual_name(node)) + " \\- " + escaped(node.command.summary) + "\n";
  out += section("Synopsis") + "\\fB" + escaped(usage_of(node)) + "\\fR\n" + description(node);
  for (const auto& group : groups_of(node)) {
    out += section(group.heading);
    for (const auto* command : group.commands) out += manual_entry(command->word, command->command.summary + ".");
  }
  for (const auto& part : sections_of(node)) {
    out += section(part.heading);
    for (const auto* parameter : part.parameters)
      out += manual_entry(term_of(*parameter), meaning_of(*parameter) + ".");
  }
  if (node.parent == nullptr)
    out += terms("Environment", variables()) + terms("Files", files()) + terms("Exit status", exit_statuses());
  return out + examples(node.command) + see_also(node);
}

}  // namespace nvmlkit::cli
