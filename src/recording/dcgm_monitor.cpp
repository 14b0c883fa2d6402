// dcgmi dmon.
#include "recording/cell.hpp"
#include "recording/lines.hpp"
#include "recording/read.hpp"
#include "sim/problem/names.hpp"
#include "sim/text/numbers.hpp"

namespace nvmlkit::recording {
namespace {

struct DcgmColumn {
  std::string name;
  std::size_t begin = 0;  // in the heading
};

// "#Entity   GPUTL  MCUTL"; older versions print "# Entity".
bool read_dcgm_heading(std::string_view line, std::vector<DcgmColumn>& out) {
  const auto text = trimmed(line);
  if (!text.starts_with("#Entity") && !text.starts_with("# Entity")) return false;
  out.clear();
  for (const auto word : words_between_blanks(line.substr(line.find("Entity") + 6)))
    out.push_back({std::string(word), static_cast<std::size_t>(word.data() - line.data())});
  return true;
}

// Cells by order; if the tool left some out, by the columns of the heading.
std::vector<std::string_view> dcgm_cells(std::string_view line, std::size_t from,
                                         const std::vector<DcgmColumn>& columns) {
  auto words = words_between_blanks(line.substr(from));
  if (words.size() == columns.size()) return words;
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto begin = std::min(columns[i].begin, line.size());
    const auto end = i + 1 < columns.size() ? std::min(columns[i + 1].begin, line.size()) : line.size();
    out.push_back(trimmed(line.substr(begin, end - begin)));
  }
  return out;
}

}  // namespace

Expected<void> read_dcgm_monitor(const std::string& file, std::string_view text, const ReadOptions& options,
                                 Recording& out) {
  std::vector<DcgmColumn> columns;
  std::optional<std::uint32_t> last;
  std::int64_t round = 0;
  LineReader reader(text);
  for (TextLine line; reader.next(line);) {
    if (read_dcgm_heading(line.text, columns)) continue;
    const auto words = words_between_blanks(line.text);
    if (words.empty() || (words[0] != "GPU" && columns.empty())) continue;
    if (words[0] != "GPU") {  // units, MIG instances, links, switches, CPUs
      if (words[0] != "ID" && words[0] != "Id") ++out.not_replayed["dcgmi dmon " + std::string(words[0].substr(0, 20))];
      continue;
    }
    const auto index = words.size() > 1 ? sim::text::number_of<std::uint32_t>(words[1]) : std::nullopt;
    if (!index || columns.empty())
      return sim::fail(sim::wrong_value(columns.empty() ? "a heading, #Entity ..." : "GPU and its index",
                                        sim::quote(trimmed(line.text)))
                           .at({file, line.number}));
    if (words.size() > 2 && words[2] == "LINK") continue;
    if (last && *index <= *last) ++round;
    last = index;
    GpuName name;
    name.index = *index;
    const auto gpu = out.gpu_of(name);
    const auto from = static_cast<std::size_t>(words[1].data() + words[1].size() - line.text.data());
    const auto cells = dcgm_cells(line.text, from, columns);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (is_absent(cells[i])) continue;
      const auto* known = find_name(dcgm_columns(), columns[i].name);
      const auto value = number_of_cell(cells[i]);
      if (known == nullptr) {
        ++out.not_replayed["dcgmi dmon " + columns[i].name];
        continue;
      }
      if (!value)
        return sim::fail(sim::wrong_value("a number or N/A in column " + columns[i].name, sim::quote(cells[i]))
                             .at({file, line.number}));
      out.add(round * options.interval_ms, gpu, *known, *value);
    }
  }
  return {};
}

}  // namespace nvmlkit::recording
