// Conditions on the fields of GPUs: gpu=0 thermal.gpu > 85, any gpu=all fault == off-bus, clocks.sm < 1200.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/problem/problem.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::scenario {

enum class Comparison : std::uint8_t { less, at_most, equal, at_least, greater, different };

struct Condition {
  bool any = false;                 // one GPU is enough, else all have to match
  std::optional<std::string> gpus;  // a selector such as gpu=0; without it: the GPUs of the step
  std::string field;                // the full path, `fault`, or a count
  Comparison comparison = Comparison::equal;
  std::string value;             // as a person wrote it
  std::optional<double> number;  // the same, if it is a number
  std::string text;              // all of it, as a person wrote it
  sim::Place place{};
};

// The name of a field that conditions have beside those of the model: the faults of a GPU in the words of `nvmlkit
// fault`. `fault == none` is a healthy GPU, `fault == nvlink` any fault of this kind.
inline constexpr std::string_view kFaultField = "fault";

// Fields that are counted: processes, mig.instances, mig.devices. None where a writer of the machine is stopped.
bool is_count(std::string_view field);
std::optional<std::uint32_t> count_of(const sim::Machine& machine, std::size_t place, std::string_view field);

sim::Expected<Condition> parse_condition(std::string_view text);

struct Verdict {
  bool holds = false;
  std::string seen;  // "gpu 0: 1980", of the GPUs that do not match, or of all
};

// `gpus` are the places of GPUs that the condition is about where it names none. A problem: no such GPU.
sim::Expected<Verdict> evaluate(const Condition& condition, const sim::Machine& machine,
                                const std::vector<std::size_t>& gpus);

}  // namespace nvmlkit::scenario
