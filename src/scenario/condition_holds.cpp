#include <cstring>
#include <memory>
#include <variant>

#include "scenario/condition.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/state/read.hpp"
#include "sim/steering/fault.hpp"
#include "sim/steering/selector.hpp"
#include "sim/telemetry/reading.hpp"
#include "sim/text/numbers.hpp"
#include "sim/text/paths.hpp"
#include "sim/text/scalar.hpp"
#include "sim/text/walk.hpp"

namespace nvmlkit::scenario {
namespace {

using namespace sim;

bool compare(double seen, Comparison comparison, double wanted) {
  switch (comparison) {
    case Comparison::less:
      return seen < wanted;
    case Comparison::at_most:
      return seen <= wanted;
    case Comparison::equal:
      return seen == wanted;
    case Comparison::at_least:
      return seen >= wanted;
    case Comparison::greater:
      return seen > wanted;
    case Comparison::different:
      break;
  }
  return seen != wanted;
}

struct Seen {
  std::string text;
  std::optional<double> number;
};

std::string print(double number) {
  if (number == static_cast<double>(static_cast<std::int64_t>(number)))
    return std::to_string(static_cast<std::int64_t>(number));
  return std::to_string(number);
}

Seen seen_of(const text::Scalar& scalar) {
  return std::visit(
      [](const auto& value) -> Seen {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, bool>) {
          return {value ? "true" : "false", {}};
        } else if constexpr (std::is_same_v<T, std::string_view>) {
          return {std::string(value), {}};
        } else if constexpr (std::is_same_v<T, model::PciBusId>) {
          char buffer[24];
          return {std::string(model::format_pci_bus_id(value, 8, buffer)), {}};
        } else if constexpr (std::is_same_v<T, double>) {
          return {print(value), value};
        } else {
          return {std::to_string(value), static_cast<double>(value)};
        }
      },
      scalar);
}

bool texts_match(const Seen& seen, const Condition& condition) {
  if (seen.text == condition.value) return true;
  const auto address = model::parse_pci_bus_id(condition.value), own = model::parse_pci_bus_id(seen.text);
  return address && own && *address == *own;
}

bool field_matches(const model::Gpu& gpu, const Condition& condition, std::string& seen_text) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&gpu);
  const auto found = text::find_field(model::descriptor<model::Gpu>(), condition.field, bytes);
  const auto part = text::part_of(*found.field, found.structure);
  const bool differs = condition.comparison == Comparison::different;
  if (part.form != text::Form::scalar) {
    seen_text = "N/A";
    return (condition.value == "N/A") != differs && (differs || condition.comparison == Comparison::equal);
  }
  const auto seen = seen_of(text::scalar_at(*part.field, part.at));
  seen_text = seen.text;
  if (seen.number && condition.number) return compare(*seen.number, condition.comparison, *condition.number);
  return texts_match(seen, condition) != differs;
}

bool fault_matches(const model::Gpu& gpu, const Condition& condition, std::string& seen_text) {
  const auto faults = steering::describe(gpu);
  bool found = faults.empty() && condition.value == "none";
  for (const auto& fault : faults) {
    seen_text += (seen_text.empty() ? "" : ", ") + fault;
    found |= fault == condition.value || fault.starts_with(condition.value + " ");
  }
  if (faults.empty()) seen_text = "none";
  return found == (condition.comparison == Comparison::equal);
}

// False where a writer of the machine is stopped.
bool copy_gpu(const Machine& machine, std::size_t place, model::Gpu& copy) {
  const auto& gpu = machine.gpus()[place];
  if (!state::consistently(machine, machine.sequence(gpu),
                           [&] { std::memcpy(static_cast<void*>(&copy), &gpu, sizeof gpu); }))
    return false;
  telemetry::resolve(machine, copy);
  return true;
}

// Nothing where a writer of the machine is stopped.
std::optional<bool> matches(const Machine& machine, std::size_t place, const Condition& condition, model::Gpu& copy,
                            std::string& seen) {
  if (is_count(condition.field)) {
    const auto count = count_of(machine, place, condition.field);
    if (!count) return {};
    seen = std::to_string(*count);
    return compare(*count, condition.comparison, condition.number.value_or(0));
  }
  if (!copy_gpu(machine, place, copy)) return {};
  return condition.field == kFaultField ? fault_matches(copy, condition, seen) : field_matches(copy, condition, seen);
}

}  // namespace

Expected<Verdict> evaluate(const Condition& condition, const Machine& machine, const std::vector<std::size_t>& gpus) {
  auto places = gpus;
  if (condition.gpus) {
    auto selected = select_gpus(machine, *condition.gpus);
    if (!selected) return fail(std::move(selected.error()).at(condition.place));
    places = std::move(*selected);
  }
  const auto copy = std::make_unique<model::Gpu>();
  std::size_t good = 0;
  std::string wrong, all;
  for (const auto place : places) {
    std::string seen;
    const auto match = matches(machine, place, condition, *copy, seen);
    if (!match)
      return fail(Problem{.kind = ProblemKind::busy, .what = "a writer of the machine is stopped"}.at(condition.place));
    const auto line = "gpu " + std::to_string(place) + ": " + seen;
    if (*match)
      ++good;
    else
      wrong += (wrong.empty() ? "" : ", ") + line;
    all += (all.empty() ? "" : ", ") + line;
  }
  const bool holds = condition.any ? good > 0 : good == places.size();
  return Verdict{holds, holds ? all : wrong};
}

}  // namespace nvmlkit::scenario
