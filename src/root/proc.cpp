#include "root/proc.hpp"

#include <fmt/format.h>

#include <string_view>

#include "kernel_log/lines.hpp"
#include "root/driver_state.hpp"
#include "root/imex.hpp"
#include "root/modules.hpp"
#include "root/pci.hpp"
#include "sim/traits/architecture.hpp"
#include "sim/traits/driver_branch.hpp"

namespace nvmlkit::root {
namespace {

using sim::model::Architecture;
using sim::model::Gpu;

// The default parameters of the kernel module. nvidia-modprobe and container tools read the
// four of the device files.
constexpr std::string_view kParametersBefore = R"(ResmanDebugLevel: 4294967295
RmLogonRC: 1
ModifyDeviceFiles: 1
DeviceFileUID: 0
DeviceFileGID: 0
)";
constexpr std::string_view kParametersAfter = R"(InitializeSystemMemoryAllocations: 1
UsePageAttributeTable: 4294967295
EnableMSI: 1
EnablePCIeGen3: 0
MemoryPoolSize: 0
KMallocHeapMaxSize: 0
VMallocHeapMaxSize: 0
IgnoreMMIOCheck: 0
EnableStreamMemOPs: 0
EnableUserNUMAManagement: 1
NvLinkDisable: 0
RmProfilingAdminOnly: 1
PreserveVideoMemoryAllocations: 0
EnableS0ixPowerManagement: 0
S0ixPowerManagementVideoMemoryThreshold: 256
DynamicPowerManagement: 3
DynamicPowerManagementVideoMemoryThreshold: 200
RegisterPCIDriver: 1
EnablePCIERelaxedOrderingMode: 0
EnableResizableBar: 0
EnableGpuFirmware: 18
EnableGpuFirmwareLogs: 2
EnableDbgBreakpoint: 0
OpenRmEnableUnsupportedGpus: 0
DmaRemapPeerMmio: 1
)";
// nvidia-modprobe reads numbers, and stops at the first text.
constexpr std::string_view kTextParameters = R"(RegistryDwords: ""
RegistryDwordsPerDevice: ""
RmMsg: ""
GpuBlacklist: ""
TemporaryFilePath: ""
ExcludedGpus: ""
)";
constexpr std::string_view kNoBios = "??.??.??.??.??";
// In parts, because two question marks begin a trigraph.
constexpr std::string_view kNoUuid =
    "GPU-???????"
    "?-???"
    "?-???"
    "?-???"
    "?-???????????"
    "?";
constexpr std::string_view kNoRegistry = "Binary: \"\"\n";

template <class Field>
std::string text_of(const Field& field, std::string_view otherwise) {
  return std::string(field ? field->view() : otherwise);
}

std::string parameters(const sim::Machine& machine) {
  std::string out =
      fmt::format("{}DeviceFileMode: {}\n{}", kParametersBefore, mode_of_nodes(machine), kParametersAfter);
  if (knows_imex(machine)) {
    out += fmt::format("ImexChannelCount: {}\n", kImexChannels);
    if (sim::branch_number(machine.system().driver_version->view()) >= 560)
      out += fmt::format("CreateImexChannel0: {:d}\n", shares_memory(machine));
  }
  return out + std::string(kTextParameters);
}

std::string version(const sim::Machine& machine) {
  return fmt::format("NVRM version: {}\nGCC version:  gcc version 12.2.0\n", kernel_log::module_identity(machine));
}

// A GPU that the driver did not start has a name, which follows from its PCI ids, and no identity.
std::string information(const Gpu& gpu, const GpuDevice& device) {
  const bool wide = sim::is_from(gpu, Architecture::hopper);
  std::string out = fmt::format(
      "Model: \t\t {}\nIRQ:   \t\t {}\nGPU UUID: \t {}\nVideo BIOS: \t {}\nBus Type: \t PCIe\nDMA Size: \t {} bits\n"
      "DMA Mask: \t {}\nBus Location: \t {}\nDevice Minor: \t {}\n",
      text_of(gpu.name, ""), gpu.irq_num.value_or(0), device.is_started ? device.uuid : kNoUuid,
      device.is_started ? text_of(gpu.vbios_version, kNoBios) : kNoBios, wide ? 52 : 47,
      wide ? "0xfffffffffffff" : "0x7fffffffffff", kernel_bus_id(*gpu.pci.bus_id), device.minor);
  if (gpu.gsp_firmware.version && device.is_started)
    out += fmt::format("GPU Firmware: \t {}\n", gpu.gsp_firmware.version->view());
  return out + "GPU Excluded:\t No\n";
}

}  // namespace

void add_proc(Tree& tree, const sim::Machine& machine, const std::vector<GpuDevice>& gpus) {
  const std::string folder = "proc/driver/nvidia/";
  tree[folder + "version"] = Text{version(machine)};
  tree[folder + "params"] = Text{parameters(machine)};
  tree[folder + "registry"] = Text{std::string(kNoRegistry)};
  for (const auto& device : gpus) {
    const Gpu& gpu = machine.gpus()[device.place];
    if (!gpu.pci.bus_id) continue;
    const auto of_gpu = fmt::format("{}gpus/{}/", folder, kernel_bus_id(*gpu.pci.bus_id));
    tree[of_gpu + "information"] = Text{information(gpu, device)};
    tree[of_gpu + "registry"] = Text{std::string(kNoRegistry)};
  }
}

}  // namespace nvmlkit::root
