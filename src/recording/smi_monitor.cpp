// nvidia-smi dmon, as a table or as CSV, with or without date and time.
#include "recording/cell.hpp"
#include "recording/lines.hpp"
#include "recording/read.hpp"
#include "recording/times.hpp"
#include "sim/problem/names.hpp"
#include "sim/text/numbers.hpp"

namespace nvmlkit::recording {
namespace {

constexpr std::int64_t kMidnightMs = 86'400'000;

struct Heading {
  bool csv = false;
  std::vector<std::string> names;  // "gpu", "date", "time" and the columns
};

bool is_heading(std::string_view text) {
  if (!text.starts_with('#')) return false;
  return text.find("gpu") != std::string_view::npos;
}

Heading heading_of(std::string_view text) {
  Heading out;
  text.remove_prefix(1);
  out.csv = text.find(',') != std::string_view::npos;
  for (const auto cell : out.csv ? cells_of(text) : words_between_blanks(text)) {
    std::string name(cell);
    if (name == "Date") name = "date";
    if (name == "Time") name = "time";
    out.names.push_back(std::move(name));
  }
  return out;
}

class Monitor {
 public:
  Monitor(const std::string& file, const ReadOptions& options, Recording& out)
      : file_(file), options_(options), out_(out) {}

  Expected<void> take(const TextLine& line) {
    const auto text = trimmed(line.text);
    if (text.empty()) return {};
    if (is_heading(text)) {
      heading_ = heading_of(text);
      return {};
    }
    if (text.starts_with('#')) return {};  // units
    const auto cells = heading_.csv ? cells_of(text) : words_between_blanks(text);
    if (heading_.names.empty()) return wrong(line, "the heading of nvidia-smi dmon, # gpu ...");
    if (cells.size() != heading_.names.size())
      return wrong(line, std::to_string(heading_.names.size()) + " columns, as in the heading");
    return take_row(line, cells);
  }

 private:
  detail::unexpected<sim::Problem> wrong(const TextLine& line, std::string expected,
                                         std::string_view given = {}) const {
    return sim::fail(sim::wrong_value(std::move(expected), sim::quote(trimmed(given.empty() ? line.text : given)))
                         .at({file_, line.number}));
  }

  Expected<void> take_row(const TextLine& line, const std::vector<std::string_view>& cells) {
    std::string date, time;
    std::optional<std::uint32_t> index;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (heading_.names[i] == "date") date = cells[i];
      if (heading_.names[i] == "time") time = cells[i];
      if (heading_.names[i] == "gpu") index = sim::text::number_of<std::uint32_t>(cells[i]);
    }
    if (!index) return wrong(line, "the index of a GPU");
    const auto at = time_of_row(date, time, *index);
    if (!at) return wrong(line, "a date such as 20261123 and a time such as 17:45:09");
    GpuName name;
    name.index = *index;
    const auto gpu = out_.gpu_of(name);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto& column = heading_.names[i];
      if (column == "date" || column == "time" || column == "gpu" || is_absent(cells[i])) continue;
      const auto* known = find_name(monitor_columns(), column);
      const auto value = number_of_cell(cells[i]);
      if (known != nullptr && !value) return wrong(line, "a number or - in column " + column, cells[i]);
      if (known != nullptr)
        out_.add(*at, gpu, *known, *value);
      else
        ++out_.not_replayed["dmon " + column];
    }
    return {};
  }

  // Without a date the first row is of a day that is none, and midnight begins the next one. Without a time, a GPU that
  // comes again begins the next sample.
  std::optional<std::int64_t> time_of_row(const std::string& date, const std::string& time, std::uint32_t index) {
    if (!date.empty() && !time.empty()) {
      out_.dated = true;
      return time_of(date + " " + time);
    }
    if (time.empty()) {
      if (last_ && index <= *last_) ++round_;
      last_ = index;
      return round_ * options_.interval_ms;
    }
    std::string_view rest;
    const auto clock = clock_before(time, rest);
    if (!clock || !rest.empty()) return {};
    if (*clock + kMidnightMs / 2 < clock_) ++day_;
    clock_ = *clock;
    return day_ * kMidnightMs + *clock;
  }

  const std::string& file_;
  const ReadOptions& options_;
  Recording& out_;
  Heading heading_;
  std::optional<std::uint32_t> last_;
  std::int64_t round_ = 0, day_ = 0, clock_ = 0;
};

}  // namespace

Expected<void> read_smi_monitor(const std::string& file, std::string_view text, const ReadOptions& options,
                                Recording& out) {
  Monitor monitor(file, options, out);
  LineReader reader(text);
  for (TextLine line; reader.next(line);)
    if (auto taken = monitor.take(line); !taken) return taken;
  return {};
}

}  // namespace nvmlkit::recording
