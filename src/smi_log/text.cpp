#include "smi_log/text.hpp"

#include <algorithm>
#include <cctype>

#include "smi_log/fields.hpp"

namespace nvmlkit::smi_log {
namespace {

constexpr std::size_t kDeepest = 16;  // groups within groups; real logs have five

std::size_t indentation(std::string_view line) {
  std::size_t column = 0;
  for (const char c : line) {
    if (c == '\t')
      column += 8 - column % 8;
    else if (c == ' ')
      ++column;
    else
      break;
  }
  return column;
}

// The colon between a name and its value: a space before it, and a space or the end behind it. Who typed a log in anew
// leaves the space before it out.
std::size_t separator(std::string_view line, bool typed = false) {
  for (auto at = line.find(':'); at != std::string_view::npos; at = line.find(':', at + 1))
    if (at > 0 && line[at - 1] == ' ' && (at + 1 == line.size() || line[at + 1] == ' ')) return at;
  const auto colon = typed ? line.find(": ") : std::string_view::npos;
  return colon == 0 ? std::string_view::npos : colon;
}

bool names_gpu(std::string_view line) {
  constexpr std::string_view kPrefix = "GPU ";
  if (!line.starts_with(kPrefix)) return false;
  const auto id = trim(line.substr(kPrefix.size()));
  return id.find(':') != std::string_view::npos && std::count(id.begin(), id.end(), '.') == 1 &&
         std::all_of(id.begin(), id.end(),
                     [](unsigned char c) { return std::isxdigit(c) != 0 || c == ':' || c == '.'; });
}

// Outside of the GPUs only "Name : value" stands at the margin; what else stands there is another output.
bool ends_log(std::string_view line) {
  return !names_gpu(line) && (separator(line) == std::string_view::npos || line.front() < 'A' || line.front() > 'Z');
}

// The head of `topo -m` is indented as well.
bool begins_topology(std::string_view text) { return text.starts_with("GPU0") || text.starts_with("\x1b[4mGPU0"); }

// A value of a GPU at the margin: the log went through something that took its indentation away.
Expected<void> check_indentation(const std::string& file, const Line& line, std::string_view text) {
  const auto name = trim(text.substr(0, text.find(':')));
  for (const auto& row : gpu_rows())
    if (row.text == name)
      return refuse({file, line.number},
                    "'" + std::string(name) +
                        "' has lost its indentation; paste the log as nvidia-smi printed it, or the output of "
                        "nvidia-smi -q -x");
  return {};
}

Node node_of(const Line& line, std::string_view text, bool typed) {
  Node node;
  node.line = line.number;
  const auto colon = separator(text, typed);
  node.name = trim(text.substr(0, colon));
  if (colon != std::string_view::npos) node.value = trim(text.substr(colon + 1));
  return node;
}

}  // namespace

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

bool starts_text_log(std::string_view line) {
  if (trim(line) == kTextLogMark) return true;
  // People leave the mark out.
  return names_gpu(line) || (line.starts_with("Driver Version ") && separator(line) != std::string_view::npos);
}

Expected<Log> read_text_log(const std::string& file, std::span<const Line> lines, std::size_t& used) {
  Log log{Format::text, file, {}};
  log.root.line = lines.front().number;
  // The whole log may have been indented when it was pasted.
  const std::size_t margin = indentation(lines.front().text);
  const bool marked = trim(lines.front().text) == kTextLogMark;
  struct Open {
    std::size_t column;
    Node* node;
  };
  std::vector<Open> open;
  bool in_gpu = false;
  for (used = marked ? 1 : 0; used < lines.size(); ++used) {
    const auto text = trim(lines[used].text);
    if (text.empty()) continue;
    const auto indent = indentation(lines[used].text);
    if ((used > 0 && text == kTextLogMark) || indent < margin || begins_topology(text)) break;
    const std::size_t column = indent - margin;
    if (column == 0) {
      if (in_gpu)
        if (auto good = check_indentation(file, lines[used], text); !good) return sim::fail(std::move(good.error()));
      if (ends_log(text)) break;
      open.clear();
    }
    while (!open.empty() && open.back().column >= column) open.pop_back();
    if (open.size() >= kDeepest) return refuse({file, lines[used].number}, "expected at most 16 levels of indentation");
    Node& parent = open.empty() ? log.root : *open.back().node;
    if (column == 0 && names_gpu(text)) {
      in_gpu = true;
      Node gpu{"GPU", std::string(trim(text.substr(4))), lines[used].number, {}};
      parent.children.push_back(std::move(gpu));
    } else {
      parent.children.push_back(node_of(lines[used], text, column > 0));
    }
    open.push_back({column, &parent.children.back()});
  }
  return log;
}

}  // namespace nvmlkit::smi_log
