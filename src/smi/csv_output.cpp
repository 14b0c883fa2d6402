#include "smi/csv_output.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "smi/log/row.hpp"
#include "smi/log/values.hpp"

namespace nvmlkit::smi {
namespace {

constexpr int kBadArgument = 2;

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
std::string csv_value(const std::string& text, const CsvField& field, const CsvFormat& format) {
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

Output refuse(std::string line) { return {line + "\n", kBadArgument}; }

}  // namespace

std::optional<CsvFormat> parse_csv_format(const std::string& text) {
  CsvFormat format;
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

std::string csv_text(const Gpu& gpu, const CsvField& field, const CsvFormat& format) {
  return csv_value(field.value ? field.value(gpu) : read_at(gpu, field.element)(gpu), field, format);
}

std::string csv_heading(std::string_view name, std::string_view unit, const CsvFormat& format) {
  return format.units && !unit.empty() ? fmt::format("{} [{}]", name, unit) : std::string(name);
}

std::string csv_line(const std::vector<std::string>& values) { return fmt::format("{}\n", fmt::join(values, ", ")); }

std::optional<Output> refuse_csv_format(const Options& options) {
  if (!options.format) return refuse("\"--format=\" switch is missing. Please run 'nvidia-smi -h' for help.\n");
  if (!parse_csv_format(*options.format)) return refuse("Format modifier is not recognized.");
  return {};
}

Output unknown_csv_field(const std::string& name) {
  return refuse(fmt::format("Field \"{}\" is not a valid field to query.\n", name));
}

}  // namespace nvmlkit::smi
