#include "cli/describe/outline.hpp"

#include <algorithm>
#include <sstream>

namespace nvmlkit::cli {
namespace {

const char* heading_of(Group group) {
  switch (group) {
    case Group::programs:
      return "Run programs";
    case Group::machines:
      return "Look at machines";
    case Group::up:
      return "A machine that is up";
    case Group::real:
      return "Drivers, real machines and containers";
    case Group::help:
      return "Help";
    case Group::hidden:
      break;
  }
  return "";
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

}  // namespace

std::string usage_of(const CommandNode& node) {
  std::string out = node.full_name();
  if (!node.children.empty()) return out + " COMMAND";
  out += " [OPTIONS]";
  for (const auto& parameter : node.parameters) {
    if (!parameter.positional) continue;
    const std::string term = parameter.label + (parameter.repeated ? "..." : "");
    out += parameter.required ? " " + term : " [" + term + "]";
  }
  return out;
}

std::string term_of(const Parameter& parameter) {
  if (parameter.positional) return parameter.label + (parameter.repeated ? "..." : "");
  std::string out = parameter.names;
  if (const auto comma = out.find(','); comma != std::string::npos) out.insert(comma + 1, " ");
  return parameter.label.empty() || parameter.label[0] == '[' ? out + parameter.label : out + " " + parameter.label;
}

std::string meaning_of(const Parameter& parameter) {
  std::string out = parameter.help;
  if (parameter.strict) out += ": " + joined(parameter.choices);
  if (!parameter.default_text.empty()) out += "; default: " + parameter.default_text;
  return out;
}

std::vector<Section> sections_of(const CommandNode& node) {
  std::vector<Section> out;
  for (const char* first : {"Arguments", "Options"}) out.push_back({first, {}});
  for (const auto& parameter : node.parameters) {
    auto at = std::find_if(out.begin(), out.end(), [&](const auto& s) { return s.heading == parameter.section; });
    if (at == out.end()) at = out.insert(out.end(), {parameter.section, {}});
    at->parameters.push_back(&parameter);
  }
  std::erase_if(out, [](const Section& section) { return section.parameters.empty(); });
  return out;
}

std::vector<CommandGroup> groups_of(const CommandNode& node) {
  std::vector<CommandGroup> out;
  for (const auto& child : node.children) {
    const std::string heading = node.parent ? "Commands" : heading_of(child.command.group);
    if (child.command.group == Group::hidden) continue;
    auto at = std::find_if(out.begin(), out.end(), [&](const auto& group) { return group.heading == heading; });
    if (at == out.end()) at = out.insert(out.end(), {heading, {}});
    at->commands.push_back(&child);
  }
  return out;
}

std::vector<Paragraph> paragraphs_of(const Command& command) {
  std::vector<Paragraph> out;
  std::istringstream lines(command.details);
  std::string text;
  const auto end = [&] {
    if (!text.empty()) out.push_back({text, text.starts_with("  ")});
    text.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.empty())
      end();
    else
      text += (text.empty() ? "" : "\n") + line;
  }
  end();
  return out;
}

std::vector<const CommandNode*> leaves_of(const CommandNode& root) {
  std::vector<const CommandNode*> out;
  for (const auto& child : root.children) {
    if (child.command.group == Group::hidden) continue;
    if (child.children.empty()) out.push_back(&child);
    const auto below = leaves_of(child);
    out.insert(out.end(), below.begin(), below.end());
  }
  return out;
}

Terms variables() {
  return {{"NVMLKIT_STATE", "The state file of the machine that is up; `nvmlkit up` prints it"},
          {"NVMLKIT_MACHINE", "The machine where no option names one: a built-in machine or a machine file"},
          {"NVMLKIT_GPU_COUNT", "How many GPUs that machine has"},
          {"NVMLKIT_DRIVER", "The driver that it has: a branch or a version"},
          {"NVMLKIT_SEED", "A text that the UUIDs and serial numbers of its GPUs follow from"},
          {"NVMLKIT_TIME", "How its time passes: real, virtual, or a number of times faster than real"},
          {"XDG_RUNTIME_DIR", "Where the folder of state files lies; without it, `/tmp/nvmlkit-UID`"}};
}

Terms files() {
  return {{"$XDG_RUNTIME_DIR/nvmlkit/machine", "The machine of `nvmlkit up`"},
          {"$XDG_RUNTIME_DIR/nvmlkit/machine-NAME", "The machine of `nvmlkit up --name NAME`"}};
}

Terms exit_statuses() {
  return {
      {"0", "Done"},
      {"1", "The work failed: no driver library, no NVML that works"},
      {"2", "Wrong arguments, or a machine that cannot be used; nothing was changed"},
      {"126, 127", "`nvmlkit run`: the program cannot be started, or there is none; else the program's own status"}};
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width, std::size_t column) {
  std::string out;
  std::istringstream words(text);
  bool first = true;
  for (std::string word; words >> word; first = false) {
    if (!first && column + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

}  // namespace nvmlkit::cli
