// Queries with several lines for a GPU: compute processes, clocks, remapped rows, retired pages.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "smi/commands.hpp"
#include "smi/csv_output.hpp"
#include "smi/log/processes.hpp"
#include "smi/log/time.hpp"
#include "smi/log/values.hpp"

namespace nvmlkit::smi {
namespace {

struct ListField {
  std::string_view name, other_name = {}, unit = {};
};
using Values = std::vector<std::string>;  // of the fields of a list, without units

// What a query lists: its fields beside those of every list, and the lines of a GPU.
struct List {
  std::span<const ListField> fields;
  std::vector<Values> (*lines)(const Gpu&);
  // Without the last field, lines that are equal are one.
  bool distinct = false;
};

constexpr ListField kCommon[] = {{"timestamp"}, {"gpu_name"}, {"gpu_bus_id"}, {"gpu_serial"}, {"gpu_uuid"}};
constexpr const char* kNoValue = "[N/A]";

constexpr ListField kAppFields[] = {{"pid"}, {"process_name", "name"}, {"used_gpu_memory", "used_memory", "MiB"}};

std::vector<Values> app_lines(const Gpu& gpu) {
  std::vector<Values> lines;
  const auto processes = processes_of(gpu);
  if (!processes) return lines;
  for (const auto& process : *processes) {
    if (!process.compute && !process.mps) continue;
    lines.push_back({std::to_string(process.pid), process.name,
                     process.memory ? std::to_string(mebibytes(gpu.version(), *process.memory)) : kNoValue});
  }
  return lines;
}

constexpr ListField kClockFields[] = {{"memory", "mem", "MHz"}, {"graphics", "gr", "MHz"}};

std::vector<Values> clock_lines(const Gpu& gpu) {
  std::vector<Values> lines;
  const auto memory_clocks = gpu->supported_memory_clocks();
  if (!memory_clocks) return {{kNoValue, kNoValue}};
  for (const auto memory : *memory_clocks) {
    const auto clocks = gpu->supported_graphics_clocks(memory);
    if (!clocks) continue;
    for (const auto graphics : *clocks)
      lines.push_back({std::to_string(memory.count()), std::to_string(graphics.count())});
  }
  return lines;
}

constexpr ListField kRowFields[] = {{"remapped_rows.correctable"},
                                    {"remapped_rows.uncorrectable"},
                                    {"remapped_rows.pending"},
                                    {"remapped_rows.failure"}};

// 535, 550 and 555 write flags as numbers.
std::vector<Values> row_lines(const Gpu& gpu) {
  const auto& rows = gpu.remapped_rows();
  if (!rows) return {{kNoValue, kNoValue, kNoValue, kNoValue}};
  const auto flag = [&](bool set) -> std::string {
    return gpu.version() < Version{560, 0} ? (set ? "1" : "0") : (set ? "Yes" : "No");
  };
  return {{std::to_string(rows->corr_active_remaps), std::to_string(rows->unc_active_remaps), flag(rows->pending),
           flag(rows->failure_occurred)}};
}

constexpr ListField kPageFields[] = {{"retired_pages.address"}, {"retired_pages.timestamp"}, {"retired_pages.cause"}};

std::vector<Values> page_lines(const Gpu& gpu) {
  using Cause = nvml::PageRetirementCause;
  std::vector<Values> lines;
  for (const auto& [cause, name] : {std::pair{Cause::multiple_single_bit_ecc_errors, "Single Bit ECC"},
                                    std::pair{Cause::double_bit_ecc_error, "Double Bit ECC"}}) {
    const auto pages = gpu->retired_pages(cause);
    if (!pages) lines.push_back({kNoValue, kNoValue, name});
    for (unsigned i = 0; pages && i < pages->size(); ++i)
      lines.push_back({fmt::format("{:#018x}", (*pages)[i].address),
                       (*pages)[i].time.count() != 0 ? long_time((*pages)[i].time.count()) : kNoValue, name});
  }
  return lines;
}

List list_of(Options::Command command) {
  switch (command) {
    case Options::Command::query_supported_clocks:
      return {kClockFields, clock_lines, true};
    case Options::Command::query_remapped_rows:
      return {kRowFields, row_lines};
    case Options::Command::query_retired_pages:
      return {kPageFields, page_lines};
    default:
      return {kAppFields, app_lines};
  }
}

const ListField* find(std::span<const ListField> fields, const std::string& name) {
  const auto at = std::find_if(fields.begin(), fields.end(), [&](const ListField& field) {
    return field.name == name || (!field.other_name.empty() && field.other_name == name);
  });
  return at == fields.end() ? nullptr : &*at;
}

std::string with_unit(const std::string& value, const ListField& field, const CsvFormat& format) {
  return value == kNoValue || field.unit.empty() || !format.units ? value : fmt::format("{} {}", value, field.unit);
}

}  // namespace

Output query_list(const Selection& selection, const Options& options) {
  if (auto refusal = refuse_csv_format(options)) return *refusal;
  const auto format = *parse_csv_format(*options.format);
  const auto list = list_of(options.command);
  struct Column {
    const ListField* own;  // null: one of all lists
    const ListField* field;
  };
  std::vector<Column> columns;
  std::vector<std::string> headings;
  for (const auto& name : options.fields) {
    const auto* own = find(list.fields, name);
    const auto* field = own ? own : find(kCommon, name);
    if (!field) return unknown_csv_field(name);
    columns.push_back({own, field});
    headings.push_back(csv_heading(field->name, field->unit, format));
  }
  const auto* last = &list.fields.back();
  const bool distinct = list.distinct && std::none_of(columns.begin(), columns.end(),
                                                      [&](const Column& column) { return column.own == last; });
  Output output;
  if (format.header) output.text += csv_line(headings);
  for (const auto& gpu : selection.gpus) {
    const Values* before = nullptr;
    const auto lines = list.lines(gpu);
    for (const auto& line : lines) {
      if (distinct && before && std::equal(line.begin(), line.end() - 1, before->begin())) continue;
      before = &line;
      std::vector<std::string> values;
      for (const auto& [own, field] : columns)
        values.push_back(own ? with_unit(line[static_cast<std::size_t>(own - list.fields.data())], *own, format)
                             : csv_text(gpu, *find_csv_field(field->name, gpu.version()), format));
      output.text += csv_line(values);
    }
  }
  return output;
}

}  // namespace nvmlkit::smi
