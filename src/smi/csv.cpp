// --query-gpu and --query-compute-apps.
#include <fmt/format.h>

#include <algorithm>

#include "smi/commands.hpp"
#include "smi/csv_fields.hpp"
#include "smi/log/processes.hpp"
#include "smi/log/row.hpp"
#include "smi/log/time.hpp"
#include "smi/log/values.hpp"

namespace nvmlkit::smi {
namespace {

constexpr int kBadArgument = 2;

struct Format {
  bool header = true, units = true;
};

std::optional<Format> parse_format(const std::string& text) {
  Format format;
  bool csv = false;
  for (const auto& word : split(text, ',')) {
    if (word == "csv")
      csv = true;
    else if (word == "noheader")
      format.header = false;
    else if (word == "nounits")
      format.units = false;
    else
      return {};
  }
  return csv ? std::optional(format) : std::nullopt;
}

// The reader of the row at a path of elements, or of labels where the document has none.
Read read_at(const Gpu& gpu, std::string_view path) {
  std::vector<std::string_view> wanted;
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find('/', begin), path.size());
    wanted.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  for (const auto rows : {identity_rows(), mode_rows(), pci_rows(), memory_rows(), utilization_rows(), ecc_rows(),
                          repair_rows(), thermal_rows(), power_rows(), clock_rows(), fabric_rows()}) {
    unsigned matched = 0;  // how many names of the path the headings above have
    for (const auto& row : rows) {
      if (row.depth <= matched) matched = row.depth - 1;
      if (row.depth != matched + 1 || row.depth > wanted.size() || !row.versions.has(gpu.version())) continue;
      const auto name = wanted[row.depth - 1];
      if ((row.element != name && (row.label != name || !row.element.empty())) || (row.shown && !row.shown(gpu)))
        continue;
      if (row.depth == wanted.size() && row.value) return row.value;
      ++matched;
    }
  }
  return not_available;
}

std::string in_brackets(const std::string& text) { return "[" + text + "]"; }

// "31 C" is 31 here, "16x" is 16, "2560 bank(s)" is 2560; "100.00%" is "100.00 %".
std::string csv_value(const std::string& text, const CsvField& field, const Format& format) {
  const bool number = !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
  if (!field.unit.empty()) {
    if (!number || !text.ends_with(field.unit)) return in_brackets(text);
    auto digits = text.substr(0, text.size() - field.unit.size());
    if (digits.ends_with(' ')) digits.pop_back();
    return format.units ? fmt::format("{} {}", digits, field.unit) : digits;
  }
  for (const std::string_view unit : {" C", " bank(s)", "x"})
    if (number && text.ends_with(unit)) return text.substr(0, text.size() - unit.size());
  const bool failed = text == "N/A" || text == kDeprecated || text == "Invalid Argument" || text == "Unknown Error" ||
                      text == "GPU is lost" || text == "Insufficient Permissions";
  return failed && !field.plain ? in_brackets(text) : text;
}

// 535, 550 and 555 write the name of these two before the value.
std::string old_fabric(const CsvField& field, const Gpu& gpu, std::string value) {
  if (gpu.version() >= Version{560, 0} || value == "[N/A]") return value;
  if (field.name == "fabric.state") return "state  " + value;
  if (field.name == "fabric.status") return "status " + value;
  return value;
}

std::string heading(const CsvField& field, const Format& format) {
  return format.units && !field.unit.empty() ? fmt::format("{} [{}]", field.name, field.unit) : std::string(field.name);
}

// The fields of compute processes; their units.
struct AppField {
  std::string_view name, other_name = {}, unit = {};
};
constexpr AppField kAppFields[] = {
    {"timestamp"}, {"gpu_name"}, {"gpu_bus_id"},           {"gpu_serial"},
    {"gpu_uuid"},  {"pid"},      {"process_name", "name"}, {"used_gpu_memory", "used_memory", "MiB"}};

std::string app_value(const Gpu& gpu, const Process& process, std::string_view name, const Format& format) {
  if (name == "pid") return std::to_string(process.pid);
  if (name == "process_name") return process.name;
  if (name == "used_gpu_memory") {
    if (!process.memory) return "[N/A]";
    const auto mib = mebibytes(gpu.version(), *process.memory);
    return format.units ? fmt::format("{} MiB", mib) : std::to_string(mib);
  }
  const auto* field = find_csv_field(name, gpu.version());
  const auto text = field->value ? field->value(gpu) : read_at(gpu, field->element)(gpu);
  return csv_value(text, *field, format);
}

Output refuse(std::string line) { return {line + "\n", kBadArgument}; }

// What both queries refuse.
std::optional<Output> refuse_format(const Options& options) {
  if (!options.format) return refuse("\"--format=\" switch is missing. Please run 'nvidia-smi -h' for help.\n");
  if (!parse_format(*options.format)) return refuse("Format modifier is not recognized.");
  return {};
}

Output unknown_field(const std::string& name) {
  return refuse(fmt::format("Field \"{}\" is not a valid field to query.\n", name));
}

std::string joined(const std::vector<std::string>& parts) { return fmt::format("{}\n", fmt::join(parts, ", ")); }

}  // namespace

Output query_gpus(const Host& host, const Selection& selection, const Options& options) {
  if (auto refusal = refuse_format(options)) return *refusal;
  const auto format = *parse_format(*options.format);
  std::vector<const CsvField*> fields;
  std::vector<std::string> headings;
  for (const auto& name : options.fields) {
    const auto* field = find_csv_field(name, host.version);
    if (!field) return unknown_field(name);
    fields.push_back(field);
    headings.push_back(heading(*field, format));
  }
  Output output;
  if (format.header) output.text += joined(headings);
  for (const auto& gpu : selection.gpus) {
    std::vector<std::string> values;
    for (const auto* field : fields) {
      const auto text = field->value ? field->value(gpu) : read_at(gpu, field->element)(gpu);
      values.push_back(old_fabric(*field, gpu, csv_value(text, *field, format)));
    }
    output.text += joined(values);
  }
  return output;
}

Output query_compute_apps(const Selection& selection, const Options& options) {
  if (auto refusal = refuse_format(options)) return *refusal;
  const auto format = *parse_format(*options.format);
  std::vector<std::string_view> fields;
  std::vector<std::string> headings;
  for (const auto& name : options.fields) {
    const auto* known = std::find_if(std::begin(kAppFields), std::end(kAppFields), [&](const AppField& field) {
      return field.name == name || (!field.other_name.empty() && field.other_name == name);
    });
    if (known == std::end(kAppFields)) return unknown_field(name);
    fields.push_back(known->name);
    headings.push_back(format.units && !known->unit.empty() ? fmt::format("{} [{}]", known->name, known->unit)
                                                            : std::string(known->name));
  }
  Output output;
  if (format.header) output.text += joined(headings);
  for (const auto& gpu : selection.gpus) {
    const auto processes = processes_of(gpu);
    if (!processes) continue;
    for (const auto& process : *processes) {
      if (!process.compute && !process.mps) continue;
      std::vector<std::string> values;
      for (const auto name : fields) values.push_back(app_value(gpu, process, name, format));
      output.text += joined(values);
    }
  }
  return output;
}

}  // namespace nvmlkit::smi
