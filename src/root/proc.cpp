#include "root/proc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "kernel_log/lines.hpp"
#include "sim/traits/architecture.hpp"

namespace nvmlkit::root {
namespace {

using sim::mig::capability_minor;
using sim::model::Architecture;
using sim::model::Gpu;

// The default parameters of the kernel module. nvidia-modprobe and container tools read the
// four of the device files.
constexpr std::string_view kParameters = R"(ResmanDebugLevel: 4294967295
RmLogonRC: 1
ModifyDeviceFiles: 1
DeviceFileUID: 0
DeviceFileGID: 0
DeviceFileMode: 438
InitializeSystemMemoryAllocations: 1
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
RegistryDwords: ""
RegistryDwordsPerDevice: ""
RmMsg: ""
GpuBlacklist: ""
TemporaryFilePath: ""
ExcludedGpus: ""
)";
constexpr std::string_view kNoRegistry = "Binary: \"\"\n";

template <class Field>
std::string text_of(const Field& field, std::string_view otherwise) {
  return std::string(field ? field->view() : otherwise);
}

std::string version(const sim::Machine& machine) {
  return fmt::format("NVRM version: {}\nGCC version:  gcc version 12.2.0\n", kernel_log::module_identity(machine));
}

std::string information(const Gpu& gpu, const GpuDevice& device) {
  const bool wide = sim::is_from(gpu, Architecture::hopper);
  std::string out = fmt::format(
      "Model: \t\t {}\nIRQ:   \t\t {}\nGPU UUID: \t {}\nVideo BIOS: \t {}\nBus Type: \t PCIe\nDMA Size: \t {} bits\n"
      "DMA Mask: \t {}\nBus Location: \t {}\nDevice Minor: \t {}\n",
      text_of(gpu.name, ""), gpu.irq_num.value_or(0), device.uuid, text_of(gpu.vbios_version, "??.??.??.??.??"),
      wide ? 52 : 47, wide ? "0xfffffffffffff" : "0x7fffffffffff", kernel_bus_id(*gpu.pci.bus_id), device.minor);
  if (gpu.gsp_firmware.version) out += fmt::format("GPU Firmware: \t {}\n", gpu.gsp_firmware.version->view());
  return out + "GPU Excluded:\t No\n";
}

std::string capability(unsigned int minor, unsigned int mode) {
  return fmt::format("DeviceFileMinor: {}\nDeviceFileMode: {}\nDeviceFileModify: 1\n", minor, mode);
}

void add_capabilities(Tree& tree, const std::vector<GpuDevice>& gpus) {
  const std::string folder = "proc/driver/nvidia/capabilities/";
  tree[folder + "mig/config"] = Text{capability(kMigConfigMinor, 0400)};
  tree[folder + "mig/monitor"] = Text{capability(kMigMonitorMinor, 0444)};
  for (const auto& gpu : gpus) {
    const auto of_gpu = fmt::format("{}gpu{}/mig/gi", folder, gpu.minor);
    for (const auto instance : gpu.gpu_instances)
      tree[fmt::format("{}{}/access", of_gpu, instance)] =
          Text{capability(capability_minor(gpu.minor, instance), 0444)};
    for (const auto& mig : gpu.mig_devices)
      tree[fmt::format("{}{}/ci{}/access", of_gpu, mig.id.instance, mig.id.compute)] =
          Text{capability(capability_minor(gpu.minor, mig.id), 0444)};
  }
}

// Every minor number that there may be, for 32 GPUs at least.
std::string mig_minors(std::size_t gpus) {
  std::string out = fmt::format("config {}\nmonitor {}\n", kMigConfigMinor, kMigMonitorMinor);
  for (unsigned int gpu = 0; gpu < std::max<std::size_t>(gpus, 32); ++gpu)
    for (std::uint32_t instance = 0; instance < 15; ++instance) {
      out += fmt::format("gpu{}/gi{}/access {}\n", gpu, instance, capability_minor(gpu, instance));
      for (std::uint32_t compute = 0; compute < 8; ++compute)
        out += fmt::format("gpu{}/gi{}/ci{}/access {}\n", gpu, instance, compute,
                           capability_minor(gpu, sim::mig::DeviceId{instance, compute}));
    }
  return out;
}

}  // namespace

std::string kernel_bus_id(const sim::model::PciBusId& id) {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", id.domain, id.bus, id.device, id.function);
}

void add_proc(Tree& tree, const sim::Machine& machine, const std::vector<GpuDevice>& gpus) {
  const std::string folder = "proc/driver/nvidia/";
  tree[folder + "version"] = Text{version(machine)};
  tree[folder + "params"] = Text{std::string(kParameters)};
  tree[folder + "registry"] = Text{std::string(kNoRegistry)};
  for (const auto& device : gpus) {
    const Gpu& gpu = machine.gpus()[device.place];
    if (!gpu.pci.bus_id) continue;
    const auto of_gpu = fmt::format("{}gpus/{}/", folder, kernel_bus_id(*gpu.pci.bus_id));
    tree[of_gpu + "information"] = Text{information(gpu, device)};
    tree[of_gpu + "registry"] = Text{std::string(kNoRegistry)};
  }
  if (std::any_of(gpus.begin(), gpus.end(), [](const GpuDevice& gpu) { return gpu.has_mig; }))
    add_capabilities(tree, gpus);
  tree["proc/driver/nvidia-caps/mig-minors"] = Text{mig_minors(gpus.size())};
  tree["proc/devices"] =
      Text{fmt::format("Character devices:\n{} nvidia\n{} nvidia-modeset\n{} nvidiactl\n{} nvidia-caps\n"
                       "{} nvidia-uvm\n\nBlock devices:\n",
                       kGpuMajor, kGpuMajor, kGpuMajor, kCapsMajor, kUvmMajor)};
}

}  // namespace nvmlkit::root
