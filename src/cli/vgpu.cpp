#include "cli/vgpu.hpp"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/target.hpp"
#include "sim/transaction/change.hpp"
#include "sim/vgpu/usage.hpp"

namespace nvmlkit::cli {
namespace {

using sim::model::Gpu;
using sim::vgpu::Active;

struct VgpuOptions {
  std::string state, selector, type, vm, uuid, driver, id;
  std::optional<std::uint32_t> placement, gpu_instance;
  bool no_driver = false, as_json = false;
};

template <class Field>
void give_text(Field& field, const std::string& text, const char* option) {
  constexpr auto kMost = std::remove_cvref_t<decltype(*field)>::max_size();
  if (text.size() > kMost) throw Refused(fmt::format("{}: expected at most {} characters", option, kMost));
  if (!text.empty()) field = std::string_view(text);
}

// Ids are made while the lock is held, so that no two vGPUs have one.
void create_vgpu(const VgpuOptions& options) {
  sim::model::VgpuInstance said;
  give_text(said.type, options.type, "TYPE");
  give_text(said.vm_id, options.vm, "--vm");
  give_text(said.uuid, options.uuid, "--uuid");
  give_text(said.guest_driver, options.driver, "--guest-driver");
  if (options.no_driver) said.guest_driver = std::string_view();
  if (options.placement) said.placement = *options.placement;
  if (options.gpu_instance) said.gpu_instance = *options.gpu_instance;
  said.license = sim::model::VgpuLicenseState::licensed;
  const auto machine = machine_of(options.state);
  auto all = nlohmann::ordered_json::array();
  accept(sim::transaction::change_gpus(*machine, select(*machine, options.selector), [&](Gpu& gpu, std::size_t index) {
    std::uint32_t id = 0;
    const auto problem = sim::vgpu::create(*machine, gpu, said, id);
    if (!problem.empty()) return fmt::format("gpu={}: {}", index, problem);
    all.push_back({{"gpu", index}, {"id", id}});
    return std::string();
  }));
  if (options.as_json)
    fmt::print("{}\n", all.dump(2));
  else
    for (const auto& made : all)
      fmt::print("gpu={} vgpu {}\n", made["gpu"].get<std::size_t>(), made["id"].get<std::uint32_t>());
}

nlohmann::ordered_json row_of(std::size_t index, const Active& active) {
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

void list_vgpus(const VgpuOptions& options) {
  const auto machine = machine_of(options.state);
  auto all = nlohmann::ordered_json::array();
  for (const auto index : select(*machine, options.selector)) {
    const auto gpu = snapshot(*machine, index);
    sim::vgpu::for_each(*gpu, [&](const Active& active) { all.push_back(row_of(index, active)); });
  }
  if (options.as_json) {
    fmt::print("{}\n", all.dump(2));
    return;
  }
  for (const auto& row : all)
    fmt::print("gpu={} vgpu {}  {:<20}  vm {}\n", row["gpu"].get<std::size_t>(), row["id"].get<std::uint32_t>(),
               row["type"].get<std::string>(), row["vm"].get<std::string>());
  if (all.empty()) fmt::print("no vGPUs\n");
}

void destroy_vgpu(const VgpuOptions& options) {
  const auto machine = machine_of(options.state);
  std::uint32_t id = 0;
  const auto* end = options.id.data() + options.id.size();
  const bool all = options.id == "all";
  if (const auto [stop, problem] = std::from_chars(options.id.data(), end, id);
      !all && (problem != std::errc() || stop != end))
    throw Refused(
        fmt::format("expected the id of a vGPU, as `nvmlkit vgpu list` shows it, or all, got '{}'", options.id));
  std::vector<std::size_t> where;
  for (std::size_t i = 0; i < machine->gpus().size(); ++i) {
    const auto gpu = snapshot(*machine, i);
    if (sim::vgpu::is_host(*gpu) && (all || sim::vgpu::find(*gpu, id))) where.push_back(i);
  }
  if (where.empty() && !all) throw Refused(fmt::format("no vGPU has id {}", id));
  accept(sim::transaction::change_gpus(*machine, where, [&](Gpu& gpu, std::size_t) {
    if (all)
      gpu.vgpu.instances.clear();
    else if (!sim::vgpu::destroy(gpu, id))
      return fmt::format("no vGPU has id {}", id);
    return std::string();
  }));
}

constexpr const char* kWhichGpu = "gpu=INDEX, gpu=UUID, gpu=BUS-ID or gpu=all";

}  // namespace

std::vector<Command> add_vgpu_commands(CLI::App& app) {
  auto* vgpu = app.add_subcommand("vgpu", "Make, show and destroy vGPUs: nvmlkit vgpu create gpu=0 A40-8Q");
  vgpu->require_subcommand(1);
  const auto o = std::make_shared<VgpuOptions>();
  const auto common = [&](CLI::App* command) {
    command->add_option("--state", o->state, "State file; default: NVMLKIT_STATE, else the user's own");
    return command;
  };
  auto* make = common(
      vgpu->add_subcommand("create", "Start a VM with a vGPU: the GPU's host has virtualization.mode host_vgpu"));
  make->add_option("GPU", o->selector, kWhichGpu)->required();
  make->add_option("TYPE", o->type, "vGPU type, as A40-8Q; `nvidia-smi vgpu -c` lists them")->required();
  make->add_option("--vm", o->vm, "UUID of the VM, or the number of its domain");
  make->add_option("--uuid", o->uuid, "UUID of the vGPU");
  make->add_option("--placement", o->placement, "Where it lies, in steps of 512 MiB");
  make->add_option("--gpu-instance", o->gpu_instance, "GPU instance that it runs in");
  auto* driver = make->add_option("--guest-driver", o->driver, "Driver version in the VM; default: the host's");
  make->add_flag("--no-driver", o->no_driver, "No driver runs in the VM")->excludes(driver);
  make->add_flag("--json", o->as_json, "As JSON");
  auto* show = common(vgpu->add_subcommand("list", "List the vGPUs: nvmlkit vgpu list gpu=0"));
  o->selector = "gpu=all";
  show->add_option("GPU", o->selector, kWhichGpu);
  show->add_flag("--json", o->as_json, "As JSON");
  auto* end = common(vgpu->add_subcommand("destroy", "Stop the VM of a vGPU: nvmlkit vgpu destroy 3251634249"));
  end->add_option("ID", o->id, "Its id, or all")->required();
  return {{make, [o] { return guarded([&] { create_vgpu(*o); }); }},
          {show, [o] { return guarded([&] { list_vgpus(*o); }); }},
          {end, [o] { return guarded([&] { destroy_vgpu(*o); }); }}};
}

}  // namespace nvmlkit::cli
