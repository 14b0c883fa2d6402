#include "sim/config/writer.hpp"

#include "sim/text/machine_text.hpp"

namespace nvmlkit::sim {

std::string write_machine(const Machine& machine) {
  text::MachineText out;
  out.host = text::values_of(machine.host());
  out.host["system.num_devices"] = std::to_string(machine.gpus().size());
  for (const auto& gpu : machine.gpus()) out.gpus.push_back(text::values_of(gpu));
  return text::yaml_of(std::move(out));
}

}  // namespace nvmlkit::sim
