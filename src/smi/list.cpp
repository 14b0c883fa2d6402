// -L, --version and -h.
#include <fmt/format.h>

#include "smi/commands.hpp"

namespace nvmlkit::smi {

namespace {

// A GPU, and below it its MIG devices.
std::string list_gpu(const Gpu& gpu) {
  const auto name = gpu->name();
  const auto uuid = gpu->uuid();
  auto out = fmt::format("GPU {}: {} (UUID: {})\n", gpu.index(), name ? *name : gpu.failure(name.error()),
                         uuid ? *uuid : gpu.failure(uuid.error()));
  const auto count = gpu->max_mig_device_count();
  for (unsigned i = 0; count && i < *count; ++i) {
    const auto device = gpu->mig_device_handle_by_index(i);
    if (!device) continue;
    // "NVIDIA H100 80GB HBM3 MIG 1g.10gb"
    const auto full = device->name().value_or("");
    const auto at = full.find("MIG ");
    out += fmt::format("  {:<15} Device {:>2}: (UUID: {})\n", at == std::string::npos ? full : full.substr(at), i,
                       device->uuid().value_or("N/A"));
  }
  return out;
}

}  // namespace

Output list_gpus(const Selection& selection) {
  Output output;
  auto gpu = selection.gpus.begin();
  auto lost = selection.lost.begin();
  while (gpu != selection.gpus.end() || lost != selection.lost.end()) {
    if (lost == selection.lost.end() || (gpu != selection.gpus.end() && gpu->index() < lost->index)) {
      output.text += list_gpu(*gpu++);
      continue;
    }
    output.text += text_of_lost(*lost, "gpu ");
    output.status = lost++->status;
  }
  return output;
}

std::string version_text(const Host& host) {
  const auto nvml = host.library.nvml_version().value_or("N/A");
  // "12.555.58.02": the CUDA version of NVML, the branch and the release of the driver.
  const auto parts = split(nvml, '.');
  const auto nvml_short = parts.size() > 2 ? parts[1] + "." + parts[2] : nvml;
  if (host.version < Version{610, 0})
    return fmt::format(
        "NVIDIA-SMI version  : {0}\nNVML version        : {1}\nDRIVER version      : {0}\nCUDA Version        : {2}\n",
        host.driver_version, nvml_short, host.cuda_version);
  return fmt::format(
      "NVIDIA-SMI version  : {0}\nNVML version        : {1}\n"
      "DRIVER version      : Deprecated, see \"KMD version\" instead\n"
      "CUDA version        : Deprecated, see \"CUDA UMD version\" instead\n"
      "KMD version         : {0}\nCUDA UMD version    : {2}\n",
      host.driver_version, nvml_short, host.cuda_version);
}

std::string help_text() {
  return "nvmlkit smi prints what nvidia-smi of the loaded driver's branch prints.\n\n"
         "    (no arguments)                       the table of all GPUs\n"
         "    -L, --list-gpus                      GPUs and MIG devices with their UUIDs\n"
         "    -q, --query                          everything, as text\n"
         "      -x, --xml-format                     as XML\n"
         "      -d, --display=SECTION,...            only these sections, as text\n"
         "    --query-gpu=FIELD,...                a line of values for each GPU\n"
         "    --query-compute-apps=FIELD,...       a line of values for each compute process\n"
         "    --query-supported-clocks=FIELD,...   for each pair of clocks\n"
         "    --query-remapped-rows=FIELD,...      for each GPU\n"
         "    --query-retired-pages=FIELD,...      for each retired page\n"
         "      --format=csv[,noheader][,nounits]    required by all of them\n"
         "    -i, --id=GPU,...                     these GPUs: index, UUID, serial number or PCI bus id\n"
         "    -f, --filename=FILE                  into a file\n"
         "    -l SECONDS, -lms MILLISECONDS        again and again\n"
         "    topo -m, topo -p2p r|w|n|a|p         how GPUs are connected, and what they may do to each other\n"
         "    nvlink -s | -c | -e | -p | -R        NVLinks: speed, capabilities, errors, the other end\n"
         "    mig -lgip | -lgi | -lci | -lcip      MIG profiles and instances\n"
         "    dmon [-s pucvmet] [-c COUNT]         a line for each GPU each second\n"
         "    pmon [-s um] [-c COUNT]              a line for each process each second\n"
         "    --version                            the versions of driver and NVML\n";
}

}  // namespace nvmlkit::smi
