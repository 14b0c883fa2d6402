// nvmlkit vgpu create
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/selector.hpp"
#include "sim/transaction/change.hpp"
#include "sim/vgpu/usage.hpp"

namespace nvmlkit::cli {
namespace {

struct VgpuCreateOptions {
  UpMachineOptions machine;
  std::string selector, type, vm, uuid, driver;
  std::optional<std::uint32_t> placement, gpu_instance;
  bool no_driver = false, as_json = false;
};

template <class Field>
void give_text(Field& field, const std::string& text, const char* option) {
  constexpr auto kMost = std::remove_cvref_t<decltype(*field)>::max_size();
  if (text.size() > kMost)
    throw CommandError(of_argument(option, sim::wrong_value(fmt::format("at most {} characters", kMost))));
  if (!text.empty()) field = std::string_view(text);
}

sim::model::VgpuInstance wanted_vgpu(const VgpuCreateOptions& options) {
  sim::model::VgpuInstance said;
  give_text(said.type, options.type, "TYPE");
  give_text(said.vm_id, options.vm, "--vm");
  give_text(said.uuid, options.uuid, "--uuid");
  give_text(said.guest_driver, options.driver, "--guest-driver");
  if (options.no_driver) said.guest_driver = std::string_view();
  if (options.placement) said.placement = *options.placement;
  if (options.gpu_instance) said.gpu_instance = *options.gpu_instance;
  said.license = sim::model::VgpuLicenseState::licensed;
  return said;
}

// Ids are made while the lock is held, so that no two vGPUs have one.
int create_vgpu(const VgpuCreateOptions& options) {
  const auto said = wanted_vgpu(options);
  const auto machine = machine_of(options.machine);
  auto all = nlohmann::ordered_json::array();
  accept(sim::transaction::change_gpus(*machine, select(*machine, options.selector),
                                       [&](sim::model::Gpu& gpu, std::size_t index) -> sim::Expected<void> {
                                         auto id = sim::vgpu::create(*machine, gpu, said);
                                         const auto place = static_cast<std::uint32_t>(index);
                                         if (!id) return sim::fail(std::move(id.error()).of_gpu(place));
                                         all.push_back({{"gpu", index}, {"id", *id}});
                                         return {};
                                       }));
  if (options.as_json)
    fmt::print("{}\n", all.dump(2));
  else
    for (const auto& made : all)
      fmt::print("gpu={} vgpu {}\n", made["gpu"].get<std::size_t>(), made["id"].get<std::uint32_t>());
  return 0;
}

Action declare_vgpu_create(Arguments& arguments) {
  const auto options = std::make_shared<VgpuCreateOptions>();
  declare_gpus(arguments, options->selector).required();
  arguments.argument("TYPE", Kind::text, options->type, "vGPU type, as A40-8Q; `nvidia-smi vgpu -c` lists them")
      .required();
  arguments.option("--vm", Kind::text, options->vm, "UUID of the VM, or the number of its domain").label("VM");
  arguments.option("--uuid", Kind::text, options->uuid, "UUID of the vGPU").label("UUID");
  arguments.option("--placement", options->placement, "Where it lies, in steps of 512 MiB");
  arguments.option("--gpu-instance", options->gpu_instance, "GPU instance that it runs in").label("ID");
  auto driver = arguments.option("--guest-driver", Kind::driver, options->driver, "Driver version in the VM")
                    .default_text("the host's");
  arguments.flag("--no-driver", options->no_driver, "No driver runs in the VM").excludes(driver);
  declare_json(arguments, options->as_json);
  options->machine.declare(arguments);
  return [options] { return create_vgpu(*options); };
}

}  // namespace

Command vgpu_create_command() {
  return {.name = "vgpu create",
          .summary = "Start a VM with a vGPU",
          .group = Group::up,
          .details =
              "The host of the GPU has `virtualization: {mode: host_vgpu}` in the machine file. Prints the id of "
              "the vGPU.",
          .examples = {{"nvmlkit vgpu create gpu=0 A40-8Q --vm 1", "a vGPU with 8 GiB for domain 1"}},
          .declare = declare_vgpu_create};
}

}  // namespace nvmlkit::cli
