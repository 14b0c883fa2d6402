// `topo -m`, as it was printed or with spaces in place of its tabs.
#include <algorithm>

#include "smi_log/tables.hpp"

namespace nvmlkit::smi_log {
namespace {

// Text without the escape sequences with which nvidia-smi underlines on a terminal.
std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b' && i + 1 < text.size() && text[i + 1] == '[') {
      for (i += 2; i < text.size() && (text[i] < '@' || text[i] > '~'); ++i) {
      }
      continue;
    }
    out += text[i];
  }
  return out;
}

std::vector<std::string> cells(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::size_t at = 0;
  while (at <= text.size()) {
    const auto end = std::min(text.find(separator, at), text.size());
    out.emplace_back(trim(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return out;
}

constexpr std::string_view kCpus = "CPU Affinity", kNodes = "NUMA Affinity", kMemory = "GPU NUMA ID";

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

// The cells of a line. Without tabs between them, a row has only its words and their order.
class Matrix {
 public:
  explicit Matrix(std::string_view header) {
    const auto text = plain(header);
    tabs_ = text.find('\t') != std::string::npos;
    const auto first = text.find("GPU0");
    if (first == std::string::npos || !trim(text.substr(0, first)).empty()) return;
    if (tabs_) {
      titles_ = cells(text, '\t');
      while (titles_.size() > 1 && titles_[1].empty()) titles_.erase(titles_.begin()), ++margin_;
    } else {
      titles_ = words(
          replaced(replaced(replaced(text, kCpus, "CPU_Affinity"), kNodes, "NUMA_Affinity"), kMemory, "GPU_NUMA_ID"));
      for (auto& title : titles_) std::replace(title.begin(), title.end(), '_', ' ');
      titles_.insert(titles_.begin(), "");
    }
    for (devices_ = 1; devices_ < titles_.size() && !titles_[devices_].empty() && titles_[devices_] != kCpus &&
                       titles_[devices_] != kNodes;)
      ++devices_;
    // The first row of a matrix begins with GPU0 too, and says how far that is from itself.
    valid_ = devices_ > 1 && titles_[1] == "GPU0" && std::find(titles_.begin(), titles_.end(), "X") == titles_.end();
  }

  bool valid() const { return valid_; }
  std::size_t devices() const { return devices_ - 1; }
  const std::string& name(std::size_t device) const { return titles_[device + 1]; }

  // The row of a device; empty for any other line.
  std::vector<std::string> row(std::string_view line) const {
    const auto text = plain(line);
    auto row = tabs_ ? cells(text, '\t') : words(text);
    if (tabs_) row.erase(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(std::min(margin_, row.size())));
    const bool known = row.size() > devices_ - 1 &&
                       std::find(titles_.begin() + 1, titles_.begin() + static_cast<std::ptrdiff_t>(devices_),
                                 row[0]) != titles_.begin() + static_cast<std::ptrdiff_t>(devices_);
    return known ? row : std::vector<std::string>();
  }

  std::string under(std::string_view title, const std::vector<std::string>& row) const {
    const auto column = static_cast<std::size_t>(std::find(titles_.begin(), titles_.end(), title) - titles_.begin());
    if (column == titles_.size()) return {};
    // nvidia-smi puts two tabs in front of this column.
    if (title == kMemory) return row.size() > devices_ + 2 ? row.back() : std::string();
    return column < row.size() ? row[column] : std::string();
  }

 private:
  static std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> out;
    for (auto rest = trim(text); !rest.empty(); rest = trim(rest)) {
      const auto end = std::min(rest.find_first_of(" \t"), rest.size());
      out.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end);
    }
    return out;
  }

  std::vector<std::string> titles_;
  std::size_t devices_ = 1, margin_ = 0;
  bool tabs_ = false, valid_ = false;
};

}  // namespace

std::size_t read_topology(const std::string& file, std::span<const Line> lines, Tables& tables) {
  const Matrix matrix(lines.front().text);
  if (!matrix.valid()) return 0;
  Topology out;
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < matrix.devices(); ++i) {
    place.emplace(matrix.name(i), i);
    auto& device = out.devices.emplace_back();
    device.name = matrix.name(i);
    device.gpu = number_behind(matrix.name(i), "GPU");
  }
  std::size_t used = 1;
  for (auto at = used; at < lines.size(); ++at) {
    if (trim(lines[at].text).empty()) continue;
    const auto row = matrix.row(lines[at].text);
    if (row.empty()) break;
    const auto index = place.at(row[0]);
    auto& device = out.devices[index];
    device.place = {file, lines[at].number};
    if (device.gpu) {
      device.cpu_affinity = matrix.under(kCpus, row);
      device.numa_affinity = matrix.under(kNodes, row);
      device.gpu_numa_id = matrix.under(kMemory, row);
    }
    for (std::size_t i = 0; i < matrix.devices(); ++i)
      if (i != index && i + 1 < row.size()) out.distances[{index, i}] = row[i + 1];
    used = at + 1;
  }
  if (tables.topology.devices.empty()) tables.topology = std::move(out);
  return used;
}

std::size_t read_topology_legend(std::string_view line, Tables& tables) {
  if (tables.topology.devices.empty()) return 0;
  const auto text = trim(line);
  if (text == "Legend:" || text == "NIC Legend:") return 1;
  for (const char* word : {"X ", "SYS ", "NODE ", "PHB ", "PXB ", "PIX ", "NV# "})
    if (text.starts_with(word) && text.find(" = ") != std::string_view::npos) return 1;
  const auto colon = text.find(": ");
  if (colon == std::string_view::npos) return 0;
  for (auto& device : tables.topology.devices) {
    if (device.gpu || device.name != text.substr(0, colon)) continue;
    device.name = trim(text.substr(colon + 2));
    return 1;
  }
  return 0;
}

}  // namespace nvmlkit::smi_log
