// nvidia-smi --query-gpu=... --format=csv, once or again and again.
#include "recording/cell.hpp"
#include "recording/lines.hpp"
#include "recording/read.hpp"
#include "recording/times.hpp"
#include "sim/problem/names.hpp"
#include "sim/text/numbers.hpp"

namespace nvmlkit::recording {
namespace {

// Without the unit: "memory.used [MiB]".
std::string_view field_of_heading(std::string_view cell) { return trimmed(cell.substr(0, cell.find('['))); }

bool is_identity(std::string_view field) {
  return field == "index" || field == "uuid" || field == "gpu_uuid" || field == "pci.bus_id" || field == "gpu_bus_id" ||
         field == "name" || field == "gpu_name" || field == "timestamp";
}

class Query {
 public:
  Query(const std::string& file, const ReadOptions& options, Recording& out)
      : file_(file), options_(options), out_(out) {}

  Expected<void> take(const TextLine& line) {
    if (trimmed(line.text).empty()) return {};
    const auto cells = cells_of(line.text);
    if (fields_.empty() || field_of_heading(cells[0]) == fields_[0]) {  // nvidia-smi -lms may print it again
      fields_.clear();
      for (const auto cell : cells) fields_.emplace_back(field_of_heading(cell));
      return {};
    }
    if (cells.size() != fields_.size())
      return wrong(line, std::to_string(fields_.size()) + " columns, as in the heading", line.text);
    return take_row(line, cells);
  }

 private:
  detail::unexpected<sim::Problem> wrong(const TextLine& line, std::string expected, std::string_view given) const {
    return sim::fail(sim::wrong_value(std::move(expected), sim::quote(trimmed(given))).at({file_, line.number}));
  }

  // The cell of the first of these fields; empty: the heading has none of them.
  std::string cell_of(const std::vector<std::string_view>& cells, std::string_view one, std::string_view other = {}) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (fields_[i] == one || (!other.empty() && fields_[i] == other)) return std::string(cells[i]);
    return {};
  }

  Expected<void> take_row(const TextLine& line, const std::vector<std::string_view>& cells) {
    GpuName name;
    name.index = sim::text::number_of<std::uint32_t>(cell_of(cells, "index"));
    name.uuid = cell_of(cells, "uuid", "gpu_uuid");
    name.bus_id = cell_of(cells, "pci.bus_id", "gpu_bus_id");
    name.model = cell_of(cells, "name", "gpu_name");
    if (!name.index && name.uuid.empty() && name.bus_id.empty()) name.index = 0;
    const auto gpu = out_.gpu_of(name);
    std::optional<std::int64_t> at;
    if (const auto stamp = cell_of(cells, "timestamp"); !stamp.empty()) {
      at = time_of(stamp);
      if (!at) return wrong(line, "a time such as 2026/11/23 17:45:09.123", stamp);
      out_.dated = true;
    } else {
      if (last_ && gpu <= *last_) ++round_;
      last_ = gpu;
      at = round_ * options_.interval_ms;
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (is_identity(fields_[i]) || is_absent(cells[i])) continue;
      const auto* known = find_name(query_fields(), fields_[i]);
      if (known == nullptr) {
        ++out_.not_replayed[fields_[i]];
        continue;
      }
      const auto value = number_of_cell(cells[i]);
      if (!value) return wrong(line, "a number or [N/A] in column " + fields_[i], cells[i]);
      out_.add(*at, gpu, *known, *value);
    }
    return {};
  }

  const std::string& file_;
  const ReadOptions& options_;
  Recording& out_;
  std::vector<std::string> fields_;
  std::optional<std::uint32_t> last_;
  std::int64_t round_ = 0;
};

}  // namespace

Expected<void> read_smi_query(const std::string& file, std::string_view text, const ReadOptions& options,
                              Recording& out) {
  Query query(file, options, out);
  LineReader reader(text);
  for (TextLine line; reader.next(line);)
    if (auto taken = query.take(line); !taken) return taken;
  return {};
}

}  // namespace nvmlkit::recording
