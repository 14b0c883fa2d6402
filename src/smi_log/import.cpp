#include "smi_log/import.hpp"

#include <algorithm>

#include "smi_log/machine.hpp"
#include "smi_log/mig.hpp"
#include "smi_log/pasted.hpp"
#include "smi_log/tables.hpp"
#include "smi_log/text.hpp"
#include "smi_log/xml.hpp"

namespace nvmlkit::smi_log {
namespace {

constexpr std::string_view kXmlEnd = "</nvidia_smi_log>";

// Reads one input; what follows what is decided by the form of the lines.
class Reader {
 public:
  Reader(const Input& input, MachineValues& machine, Tables& tables)
      : input_(input), machine_(machine), tables_(tables), text_(as_printed(input.text)), lines_(lines_of(text_)) {}

  Expected<void> read_input() {
    const std::span<const Line> all(lines_);
    for (std::size_t at = 0; at < lines_.size();) {
      const auto rest = all.subspan(at);
      const auto used = read_section(rest);
      if (!used) return sim::fail(used.error());
      if (const auto text = trim(rest.front().text); *used == 0 && !text.empty())
        machine_.leftovers.others.push_back(Place{input_.name, rest.front().number}.text() + ": " + std::string(text));
      at += std::max<std::size_t>(*used, 1);
    }
    return {};
  }

 private:
  // How many of the lines belong to an output that begins at the first.
  Expected<std::size_t> read_section(std::span<const Line> rest) {
    std::size_t used = 0;
    if (starts_text_log(rest.front().text)) {
      const auto log = read_text_log(input_.name, rest, used);
      if (!log) return sim::fail(log.error());
      if (auto added = add_log(*log, machine_); !added) return sim::fail(std::move(added.error()));
      return used;
    }
    if (auto read_xml = xml(rest); !read_xml || *read_xml != 0) return read_xml;
    if ((used = read_topology(input_.name, rest, tables_)) == 0 &&
        (used = read_topology_legend(rest.front().text, tables_)) == 0 &&
        (used = read_nvlinks(input_.name, rest, tables_)) == 0 &&
        (used = read_listing(input_.name, rest, tables_)) == 0 &&
        (used = read_mig_profiles(input_.name, rest, tables_)) == 0)
      used = read_mig_placements(input_.name, rest, tables_);
    return used;
  }

  Expected<std::size_t> xml(std::span<const Line> lines) {
    const auto start = lines.front().text.find("<nvidia_smi_log");
    if (start == std::string_view::npos) return std::size_t{0};
    std::size_t used = 0;
    while (used < lines.size() && lines[used].text.find(kXmlEnd) == std::string_view::npos) ++used;
    const bool cut = used == lines.size();
    const auto& last = cut ? lines.back() : lines[used];
    const char* begin = lines.front().text.data() + start;
    const char* end = last.text.data() + (cut ? last.text.size() : last.text.find(kXmlEnd) + kXmlEnd.size());
    const auto first = lines.front().number;
    if (end < begin) return refuse({input_.name, first}, "expected <nvidia_smi_log> before its end");
    const std::string_view text(begin, static_cast<std::size_t>(end - begin));
    if (cut)
      machine_.notes.push_back(Place{input_.name, last.number}.text() +
                               ": the XML has no end; what it would tell from here on is missing");
    const auto closed = cut ? close_xml(text) : std::string();
    if (cut && closed.empty())
      return refuse({input_.name, first}, "the XML of nvidia-smi -q -x has no end, expected " + std::string(kXmlEnd));
    const auto log = read_xml_log(input_.name, cut ? closed : text, first);
    if (!log) return sim::fail(log.error());
    if (auto added = add_log(*log, machine_); !added) return sim::fail(std::move(added.error()));
    return std::min(used + 1, lines.size());
  }

  const Input& input_;
  MachineValues& machine_;
  Tables& tables_;
  std::string text_;
  std::vector<Line> lines_;
};

}  // namespace

Expected<void> check_text(const std::string& name, std::string_view beginning) {
  const bool utf16 = beginning.starts_with("\xFF\xFE") || beginning.starts_with("\xFE\xFF");
  if (beginning.size() > kMostBytes)
    return refuse({name, 0}, "expected the output of nvidia-smi -q or nvidia-smi -q -x, got more than 64 MiB");
  const auto zero = utf16 ? std::string_view::npos : beginning.find('\0');
  if (zero == std::string_view::npos) return {};
  return refuse({name, 0},
                "expected the output of nvidia-smi -q or nvidia-smi -q -x, got a file that is no text (byte " +
                    std::to_string(zero) + " is 0)");
}

Expected<Imported> import_outputs(std::span<const Input> inputs) {
  for (const auto& input : inputs)
    if (auto good = check_text(input.name, input.text); !good) return sim::fail(std::move(good.error()));
  MachineValues machine;
  Tables tables;
  Imported out;
  for (const auto& input : inputs)
    if (auto read = Reader(input, machine, tables).read_input(); !read) return sim::fail(std::move(read.error()));
  if (machine.gpus.empty()) {
    std::string names;
    for (const auto& input : inputs) names += (names.empty() ? "" : ", ") + input.name;
    return refuse({names, 0}, "no GPU found; expected the output of nvidia-smi -q or nvidia-smi -q -x");
  }
  add_tables(tables, machine);
  add_mig(tables, machine);
  auto yaml = write_machine_file(machine);
  if (!yaml) return sim::fail(std::move(yaml.error()));
  out.yaml = std::move(*yaml);
  auto& unreadable = machine.leftovers.unreadable;
  machine.notes.insert(machine.notes.end(), unreadable.begin(), unreadable.end());
  unreadable.clear();
  out.notes = std::move(machine.notes);
  out.leftovers = std::move(machine.leftovers);
  return out;
}

}  // namespace nvmlkit::smi_log
