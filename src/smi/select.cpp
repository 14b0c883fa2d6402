#include "smi/select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace nvmlkit::smi {
namespace {

constexpr int kNotFound = 6;

std::string lower(std::string text) {
  for (auto& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// "0000:1A:00.0" and "1a:00.0" are "00000000:1A:00.0".
bool is_bus_id(const std::string& typed, const std::string& bus_id) {
  const auto full = lower(bus_id), part = lower(typed);
  return part.size() >= 7 && full.size() >= part.size() && full.ends_with(part) && part.find(':') != std::string::npos;
}

bool named(const Gpu& gpu, const std::string& id) {
  if (id == std::to_string(gpu.index())) return true;
  if (const auto uuid = gpu->uuid(); uuid && *uuid == id) return true;
  if (const auto serial = gpu->serial(); serial && *serial == id) return true;
  return gpu.pci() && is_bus_id(id, gpu.pci()->bus_id);
}

LostGpu lost_gpu(const Host& host, unsigned index, const nvml::Failure& failure) {
  const auto text = host.library.table().ErrorString;
  LostGpu lost{index, std::to_string(index),
               text ? text(static_cast<abi::nvmlReturn_t>(failure.code())) : "Unknown Error",
               static_cast<int>(failure.code())};
  if (failure == nvml::Errc::gpu_is_lost) lost.reason += ".  Reboot the system to recover this GPU";
  if (const auto bus_id = host.private_table.bus_id(index)) lost.bus_id = *bus_id;
  return lost;
}

}  // namespace

std::string text_of_lost(const LostGpu& gpu, const char* word) {
  return fmt::format("Unable to determine the device handle for {}{}: {}\n\n\n", word, gpu.bus_id, gpu.reason);
}

Selection select_gpus(const Host& host, const std::vector<std::string>& ids) {
  Selection selection;
  const auto devices = host.library.devices();
  if (!devices) {
    selection.refusal = Output{fmt::format("Unable to determine the number of GPUs: {}\n", devices.error().message()),
                               static_cast<int>(devices.error().code())};
    return selection;
  }
  selection.attached = static_cast<unsigned>(devices->size());
  for (unsigned i = 0; i < selection.attached; ++i) {
    auto device = (*devices)[i];
    if (!device) {
      auto lost = lost_gpu(host, i, device.error());
      const auto wanted = [&](const std::string& id) { return id == std::to_string(i) || is_bus_id(id, lost.bus_id); };
      if (ids.empty() || std::any_of(ids.begin(), ids.end(), wanted)) selection.lost.push_back(std::move(lost));
      continue;
    }
    Gpu gpu(host, i, std::move(*device));
    const auto wanted = [&](const std::string& id) { return named(gpu, id); };
    if (ids.empty() || std::any_of(ids.begin(), ids.end(), wanted)) selection.gpus.push_back(std::move(gpu));
  }
  if (selection.gpus.empty() && selection.lost.empty())
    selection.refusal = Output{"No devices were found\n", kNotFound};
  return selection;
}

}  // namespace nvmlkit::smi
