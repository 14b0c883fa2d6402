#include "capture/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/config/document.hpp"
#include "sim/config/reader.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/text/paths.hpp"

namespace nvmlkit::capture {
namespace {

using sim::model::FieldDescriptor;
using sim::model::StructDescriptor;
using sim::model::Type;

const StructDescriptor& root_of(bool gpu) {
  return gpu ? sim::model::descriptor<sim::model::Gpu>() : sim::model::descriptor<sim::model::Machine>();
}

std::string word(const FieldDescriptor& field, std::uint64_t number) {
  for (const auto& w : field.words())
    if (w.value == static_cast<std::uint32_t>(number)) return std::string(w.word());
  return {};
}

// As a machine file has it; empty where the field cannot hold it.
std::string yaml_of(const FieldDescriptor& field, const Json& value) {
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    const bool fits = field.type == Type::pci_bus_id || (field.text() && text.size() < field.capacity);
    return fits ? in_quotes(text) : std::string();
  }
  if (!value.is_number()) return {};
  if (field.type == Type::f64) return fmt::format("{}", value.get<double>());
  const auto number = value.get<std::uint64_t>();
  const auto in_range = [&](std::int64_t n) { return !field.ranged || (n >= field.min && n <= field.max); };
  switch (field.type) {
    case Type::boolean:
      return number != 0 ? "true" : "false";
    case Type::u32:
    case Type::u64:
      return in_range(static_cast<std::int64_t>(number)) ? std::to_string(number) : std::string();
    case Type::i32: {
      const auto small = static_cast<std::int32_t>(number);
      return in_range(small) ? std::to_string(small) : std::string();
    }
    case Type::i64:
      return std::to_string(static_cast<std::int64_t>(number));
    case Type::hex32:
    case Type::hex64:
      return fmt::format("0x{:x}", number);
    case Type::enumeration:
      return word(field, number);
    default:
      return {};
  }
}

// What the answers say of one field so far.
struct Finding {
  std::string yaml;
  bool not_supported = false;
  std::string unfit;  // a value that the field cannot hold
  std::vector<std::string> questions;
};

// What makes a GPU this one, and what the rest follows from.
bool identifies(std::string_view path) {
  static constexpr std::string_view kAll[] = {"name",
                                              "uuid",
                                              "serial",
                                              "pci.bus_id",
                                              "mig.mode_current",
                                              "virtualization.mode",
                                              "architecture",
                                              "system.driver_version"};
  return std::find(std::begin(kAll), std::end(kAll), path) != std::end(kAll);
}

}  // namespace

// Texts of a driver need not be UTF-8, and a machine file takes no control characters.
std::string in_quotes(std::string_view text) {
  std::string printable(text);
  std::replace_if(
      printable.begin(), printable.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
  return Json(printable).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string FlowList::yaml() const {
  std::string out;
  for (const auto& item : items_) out += (out.empty() ? "" : ", ") + item;
  return "[" + out + "]";
}

const Json* Record::ask(const std::string& question, std::string_view output) const {
  const auto* answer = object_.answer(question);
  return succeeded(answer) ? at(answer, output) : nullptr;
}

std::uint64_t Record::number(const std::string& question, std::string_view output, std::uint64_t otherwise) const {
  const auto* value = ask(question, output);
  return value != nullptr && value->is_number() ? value->get<std::uint64_t>() : otherwise;
}

std::string Record::text(const std::string& question, std::string_view output) const {
  const auto* value = ask(question, output);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

void Record::set(const std::string& path, std::string yaml, std::vector<std::string> questions) {
  candidates_.try_emplace(path, Candidate{std::move(yaml), std::move(questions)});
}

void Record::set(const std::string& path, FlowList list, std::vector<std::string> questions) {
  const auto* field = sim::text::find_field(root_of(is_gpu()), path).field;
  if (field != nullptr && list.size() > field->max_items) {
    note(fmt::format("left out: {} of {} {}", list.size() - field->max_items, list.size(), path));
    list.cut(field->max_items);
  }
  set(path, list.yaml(), std::move(questions));
}

sim::Expected<void> check_value(const std::string& path, const std::string& yaml, bool gpu) {
  const auto document = sim::config::Document::parse("answer", sim::text::mapping_of(path, yaml));
  if (!document) return sim::fail(document.error());
  const auto& root = root_of(gpu);
  std::vector<std::byte> scratch(root.size);
  return sim::config::apply(document->root(), root, scratch.data(), {}, false);
}

std::string word_of(std::string_view gpu_path, std::uint64_t number) {
  const auto* field = sim::text::find_field(sim::model::descriptor<sim::model::Gpu>(), gpu_path).field;
  return field ? word(*field, number) : std::string();
}

void record_shown(Record& record) {
  constexpr std::string_view kGpu = "gpu.";
  const bool gpu = record.is_gpu();
  const auto& root = root_of(gpu);
  std::map<std::string, Finding> findings;
  for (const auto& row : shown()) {
    std::string_view path = row.field;
    if (path.starts_with(kGpu) != gpu) continue;
    if (gpu) path.remove_prefix(kGpu.size());
    const auto* answer = record.ask(row.question);
    const auto* field = sim::text::find_field(root, path).field;
    if (answer == nullptr || field == nullptr) continue;
    auto& finding = findings[std::string(path)];
    finding.questions.emplace_back(row.question);
    if (row.answered) {
      if (succeeded(answer)) finding.yaml = "true";
      if (finding.yaml.empty() && (failed(answer, "NOT_SUPPORTED") || failed(answer, "CORRUPTED_INFOROM")))
        finding.yaml = "false";
      continue;
    }
    if (failed(answer, "NOT_SUPPORTED")) finding.not_supported = true;
    if (!succeeded(answer) || !finding.yaml.empty()) continue;
    const auto* value = at(answer, row.output);
    if (value == nullptr || value->is_null()) continue;
    Json told = *value;
    if (row.bit != 0) told = std::uint64_t{(value->get<std::uint64_t>() & row.bit) != 0};
    if (row.divide > 1) told = value->get<std::uint64_t>() / row.divide;
    finding.yaml = yaml_of(*field, told);
    if (finding.yaml.empty()) finding.unfit = fmt::format("{} is {} by {}", path, told.dump(), row.question);
  }
  for (auto& [path, finding] : findings) {
    const bool always = identifies(path) && !finding.yaml.empty();
    auto questions = always ? std::vector<std::string>() : std::move(finding.questions);
    if (!finding.yaml.empty())
      record.set(path, std::move(finding.yaml), std::move(questions));
    else if (!finding.unfit.empty())
      record.note("left out: " + finding.unfit);
    else if (finding.not_supported)
      record.set(path, "N/A", std::move(questions));
  }
}

}  // namespace nvmlkit::capture
