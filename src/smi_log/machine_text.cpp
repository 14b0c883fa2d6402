#include "smi_log/machine_text.hpp"

#include <utility>

#include "sim/text/machine_text.hpp"

namespace nvmlkit::smi_log {
namespace {

sim::text::Values without_places(const Values& values) {
  sim::text::Values out;
  for (const auto& [path, value] : values) out.emplace_hint(out.end(), path, value.yaml);
  return out;
}

}  // namespace

std::string text_of(const MachineText& machine) {
  sim::text::MachineText out{machine.comment, machine.base, without_places(machine.host), {}};
  for (const auto& gpu : machine.gpus) out.gpus.push_back(without_places(gpu));
  return sim::text::yaml_of(std::move(out));
}

}  // namespace nvmlkit::smi_log
