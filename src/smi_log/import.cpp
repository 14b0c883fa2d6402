#include "smi_log/import.hpp"

#include <algorithm>

#include "smi_log/machine.hpp"
#include "smi_log/mig.hpp"
#include "smi_log/tables.hpp"
#include "smi_log/text.hpp"
#include "smi_log/xml.hpp"

namespace nvmlkit::smi_log {
namespace {

constexpr std::string_view kXmlEnd = "</nvidia_smi_log>";

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> out;
  std::uint32_t number = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    out.push_back({line, ++number});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// Reads one input; what follows what is decided by the form of the lines.
class Reader {
 public:
  Reader(const Input& input, MachineValues& machine, Tables& tables)
      : input_(input), machine_(machine), tables_(tables), lines_(lines_of(input.text)) {}

  void run() {
    const std::span<const Line> all(lines_);
    for (std::size_t at = 0; at < lines_.size();) {
      const auto rest = all.subspan(at);
      std::size_t used = 0;
      if (starts_text_log(rest.front().text))
        add_log(read_text_log(input_.name, rest, used), machine_);
      else if ((used = xml(rest)) == 0 && (used = read_topology(input_.name, rest, tables_)) == 0 &&
               (used = read_nvlinks(input_.name, rest, tables_)) == 0 &&
               (used = read_listing(input_.name, rest, tables_)) == 0 &&
               (used = read_mig_profiles(input_.name, rest, tables_)) == 0)
        used = read_mig_placements(input_.name, rest, tables_);
      if (const auto text = trim(rest.front().text); used == 0 && !text.empty())
        machine_.leftovers.others.push_back(Place{input_.name, rest.front().number}.text() + ": " + std::string(text));
      at += std::max<std::size_t>(used, 1);
    }
  }

 private:
  std::size_t xml(std::span<const Line> lines) {
    const auto start = lines.front().text.find("<nvidia_smi_log");
    if (start == std::string_view::npos) return 0;
    std::size_t used = 0;
    while (used < lines.size() && lines[used].text.find(kXmlEnd) == std::string_view::npos) ++used;
    if (used == lines.size())
      throw Refused({input_.name, lines.front().number},
                    "the XML of nvidia-smi -q -x has no end, expected " + std::string(kXmlEnd));
    const char* begin = lines.front().text.data() + start;
    const char* end = lines[used].text.data() + lines[used].text.find(kXmlEnd) + kXmlEnd.size();
    if (end < begin) throw Refused({input_.name, lines.front().number}, "expected <nvidia_smi_log> before its end");
    add_log(read_xml_log(input_.name, {begin, static_cast<std::size_t>(end - begin)}, lines.front().number), machine_);
    return used + 1;
  }

  const Input& input_;
  MachineValues& machine_;
  Tables& tables_;
  std::vector<Line> lines_;
};

}  // namespace

Imported import_outputs(std::span<const Input> inputs) {
  MachineValues machine;
  Tables tables;
  Imported out;
  for (const auto& input : inputs) Reader(input, machine, tables).run();
  if (machine.gpus.empty()) {
    std::string names;
    for (const auto& input : inputs) names += (names.empty() ? "" : ", ") + input.name;
    throw Refused({names, 0}, "no GPU found; expected the output of nvidia-smi -q or nvidia-smi -q -x");
  }
  add_tables(tables, machine);
  add_mig(tables, machine);
  out.yaml = write_machine_file(machine);
  auto& unreadable = machine.leftovers.unreadable;
  machine.notes.insert(machine.notes.end(), unreadable.begin(), unreadable.end());
  unreadable.clear();
  out.notes = std::move(machine.notes);
  out.leftovers = std::move(machine.leftovers);
  return out;
}

}  // namespace nvmlkit::smi_log
