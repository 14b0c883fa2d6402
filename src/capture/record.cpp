#include "capture/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "sim/config/reader.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/text/paths.hpp"
#include "sim/text/quoting.hpp"
#include "sim/text/scalar.hpp"

namespace nvmlkit::capture {
namespace {

using sim::model::FieldDescriptor;
using sim::model::Identity;
using sim::model::StructDescriptor;
using sim::model::Type;
using sim::text::Scalar;

const StructDescriptor& root_of(bool gpu) {
  return gpu ? sim::model::descriptor<sim::model::Gpu>() : sim::model::descriptor<sim::model::Machine>();
}

// The value of a field that NVML returned as a number; nothing where the field cannot hold it.
std::optional<Scalar> scalar_of(const FieldDescriptor& field, std::uint64_t number) {
  const auto in_range = [&](std::int64_t n) { return !field.ranged || (n >= field.min && n <= field.max); };
  switch (field.type) {
    case Type::boolean:
      return number != 0;
    case Type::u32:
    case Type::u64:
      return in_range(static_cast<std::int64_t>(number)) ? std::optional<Scalar>(number) : std::nullopt;
    case Type::i32: {
      const std::int64_t small = static_cast<std::int32_t>(number);
      return in_range(small) ? std::optional<Scalar>(small) : std::nullopt;
    }
    case Type::i64:
      return static_cast<std::int64_t>(number);
    case Type::hex32:
    case Type::hex64:
      return number;
    case Type::enumeration: {
      const auto word = sim::text::word_of(field, static_cast<std::uint32_t>(number));
      return word.empty() ? std::nullopt : std::optional<Scalar>(word);
    }
    default:
      return std::nullopt;
  }
}

// As a machine file has it; empty where the field cannot hold it.
std::string yaml_of(const FieldDescriptor& field, const Json& value) {
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    const bool fits = field.type == Type::pci_bus_id || (field.text() && text.size() < field.capacity);
    return fits ? in_quotes(text) : std::string();
  }
  if (!value.is_number()) return {};
  if (field.type == Type::f64) return sim::text::yaml_of(field, value.get<double>());
  const auto scalar = scalar_of(field, value.get<std::uint64_t>());
  return scalar ? sim::text::yaml_of(field, *scalar) : std::string();
}

// What the answers say of one field so far.
struct Finding {
  std::string yaml;
  bool not_supported = false;
  std::string unfit;  // a value that the field cannot hold
  std::vector<std::string> questions;
};

// Whether a field is in every file: the identity of a GPU, and the fields that others follow from.
bool always_stated(const StructDescriptor& root, std::string_view path) {
  const auto found = sim::text::find_field(root, path);
  return found && (found.field->identity == Identity::basis || found.field->identity == Identity::key);
}

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string printable(text);
  std::replace_if(
      printable.begin(), printable.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
  return sim::text::quoted(printable);
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
  const auto& root = root_of(gpu);
  std::vector<std::byte> scratch(root.size);
  return sim::config::assign(root, scratch.data(), path, yaml);
}

std::string word_of(std::string_view gpu_path, std::uint64_t number) {
  const auto* field = sim::text::find_field(sim::model::descriptor<sim::model::Gpu>(), gpu_path).field;
  return std::string(field ? sim::text::word_of(*field, static_cast<std::uint32_t>(number)) : std::string_view());
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
    const bool always = always_stated(root, path) && !finding.yaml.empty();
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
