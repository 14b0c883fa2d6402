// nvmlkit vgpu destroy
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/selector.hpp"
#include "sim/problem/names.hpp"
#include "sim/text/numbers.hpp"
#include "sim/transaction/change.hpp"
#include "sim/vgpu/usage.hpp"

namespace nvmlkit::cli {
namespace {

struct VgpuDestroyOptions {
  UpMachineOptions machine;
  std::string id;
};

// 0, which no vGPU has, for all of them.
std::uint32_t parse_vgpu_id(const std::string& text) {
  if (text == "all") return 0;
  const auto id = sim::text::number_of<std::uint32_t>(text);
  if (id && *id != 0) return *id;
  throw CommandError(of_argument(
      "ID", sim::wrong_value("the id of a vGPU, as `nvmlkit vgpu list` shows it, or all", sim::quote(text))));
}

sim::Problem no_vgpu(std::uint32_t id) {
  return {.kind = sim::ProblemKind::unknown_name, .what = fmt::format("no vGPU has id {}", id)};
}

int destroy_vgpu(const VgpuDestroyOptions& options) {
  const auto machine = machine_of(options.machine);
  const auto id = parse_vgpu_id(options.id);
  std::vector<std::size_t> where;
  for (std::size_t i = 0; i < machine->gpus().size(); ++i) {
    const auto gpu = snapshot(*machine, i);
    if (sim::vgpu::is_host(*gpu) && (id == 0 || sim::vgpu::find(*gpu, id))) where.push_back(i);
  }
  if (where.empty() && id != 0) throw CommandError(no_vgpu(id));
  accept(sim::transaction::change_gpus(*machine, where, [&](sim::model::Gpu& gpu, std::size_t) -> sim::Expected<void> {
    if (id == 0)
      gpu.vgpu.instances.clear();
    else if (!sim::vgpu::destroy(gpu, id))
      return sim::fail(no_vgpu(id));
    return {};
  }));
  return 0;
}

}  // namespace

Command vgpu_destroy_command() {
  return {.name = "vgpu destroy",
          .summary = "Stop the VM of a vGPU",
          .group = Group::up,
          .examples = {{"nvmlkit vgpu destroy 3251634249", "one vGPU, by its id"},
                       {"nvmlkit vgpu destroy all", "all of the machine"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<VgpuDestroyOptions>();
            arguments.argument("ID", Kind::text, options->id, "Its id, or all").required().for_example({"all"});
            options->machine.declare(arguments);
            return [options] { return destroy_vgpu(*options); };
          }};
}

}  // namespace nvmlkit::cli
