// --query-gpu.
#include "smi/commands.hpp"
#include "smi/csv_output.hpp"

namespace nvmlkit::smi {
namespace {

// 535, 550 and 555 write the name of these two before the value.
std::string old_fabric(const CsvField& field, const Gpu& gpu, std::string value) {
  if (gpu.version() >= Version{560, 0} || value == "[N/A]") return value;
  if (field.name == "fabric.state") return "state  " + value;
  if (field.name == "fabric.status") return "status " + value;
  return value;
}

}  // namespace

Output query_gpus(const Host& host, const Selection& selection, const Options& options) {
  if (auto refusal = refuse_csv_format(options)) return *refusal;
  const auto format = *parse_csv_format(*options.format);
  std::vector<const CsvField*> fields;
  std::vector<std::string> headings;
  for (const auto& name : options.fields) {
    const auto* field = find_csv_field(name, host.version);
    if (!field) return unknown_csv_field(name);
    fields.push_back(field);
    headings.push_back(csv_heading(field->name, field->unit, format));
  }
  Output output;
  if (format.header) output.text += csv_line(headings);
  for (const auto& gpu : selection.gpus) {
    std::vector<std::string> values;
    for (const auto* field : fields) values.push_back(old_fabric(*field, gpu, csv_text(gpu, *field, format)));
    output.text += csv_line(values);
  }
  return output;
}

}  // namespace nvmlkit::smi
