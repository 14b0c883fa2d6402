// nvmlkit vgpu list
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.hpp"
#include "cli/selector.hpp"
#include "sim/vgpu/usage.hpp"

namespace nvmlkit::cli {
namespace {

using sim::vgpu::Active;

struct VgpuListOptions {
  UpMachineOptions machine;
  std::string selector = "gpu=all";
  bool as_json = false;
};

nlohmann::ordered_json vgpu_row(std::size_t index, const Active& active) {
  const auto text = [](const auto& field) { return field ? std::string(field->view()) : std::string(); };
  const auto& instance = *active.instance;
  nlohmann::ordered_json row{{"gpu", index},
                             {"id", *instance.id},
                             {"type", active.type->name},
                             {"uuid", text(instance.uuid)},
                             {"vm", text(instance.vm_id)},
                             {"guest_driver", text(instance.guest_driver)},
                             {"memory_bytes", sim::vgpu::memory_bytes(*active.type)},
                             {"used_bytes", sim::vgpu::used_bytes(active)}};
  if (instance.gpu_instance) row["gpu_instance"] = *instance.gpu_instance;
  if (instance.placement) row["placement"] = *instance.placement;
  return row;
}

int list_vgpus(const VgpuListOptions& options) {
  const auto machine = machine_of(options.machine);
  auto all = nlohmann::ordered_json::array();
  for (const auto index : select(*machine, options.selector)) {
    const auto gpu = snapshot(*machine, index);
    sim::vgpu::for_each(*gpu, [&](const Active& active) { all.push_back(vgpu_row(index, active)); });
  }
  if (options.as_json) {
    fmt::print("{}\n", all.dump(2));
    return 0;
  }
  for (const auto& row : all)
    fmt::print("gpu={} vgpu {}  {:<20}  vm {}\n", row["gpu"].get<std::size_t>(), row["id"].get<std::uint32_t>(),
               row["type"].get<std::string>(), row["vm"].get<std::string>());
  if (all.empty()) fmt::print("no vGPUs\n");
  return 0;
}

}  // namespace

Command vgpu_list_command() {
  return {.name = "vgpu list",
          .summary = "List the vGPUs",
          .group = Group::up,
          .examples = {{"nvmlkit vgpu list gpu=0", "those of one GPU"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<VgpuListOptions>();
            declare_gpus(arguments, options->selector).default_text("gpu=all");
            declare_json(arguments, options->as_json);
            options->machine.declare(arguments);
            return [options] { return list_vgpus(*options); };
          }};
}

}  // namespace nvmlkit::cli
