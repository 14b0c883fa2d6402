#include "smi_log/mig_devices.hpp"

#include <algorithm>

#include "sim/problem/names.hpp"
#include "sim/text/numbers.hpp"
#include "smi_log/lists.hpp"
#include "smi_log/units.hpp"

namespace nvmlkit::smi_log {
namespace {

constexpr std::uint64_t kLastInstance = 14, kLastCompute = 7;

struct MigRow {
  std::string_view text, xml;  // paths below the device
  std::optional<std::uint64_t> MigDevice::*value;
};

// clang-format off
constexpr MigRow kMigRows[] = {
    {"Device Attributes/Shared/Multiprocessor count", "device_attributes/shared/multiprocessor_count", &MigDevice::sm},
    {"Device Attributes/Shared/Copy Engine count", "device_attributes/shared/copy_engine_count", &MigDevice::ce},
    {"Device Attributes/Shared/Encoder count", "device_attributes/shared/encoder_count", &MigDevice::enc},
    {"Device Attributes/Shared/Decoder count", "device_attributes/shared/decoder_count", &MigDevice::dec},
    {"Device Attributes/Shared/OFA count", "device_attributes/shared/ofa_count", &MigDevice::ofa},
    {"Device Attributes/Shared/JPG count", "device_attributes/shared/jpg_count", &MigDevice::jpeg},
    {"ECC Errors/Volatile/SRAM Uncorrectable", "ecc_error_count/volatile_count/sram_uncorrectable", &MigDevice::sram},
    {"FB Memory Usage/Total", "fb_memory_usage/total", &MigDevice::total},
    {"FB Memory Usage/Used", "fb_memory_usage/used", &MigDevice::used},
    {"FB Memory Usage/Free", "fb_memory_usage/free", &MigDevice::free},
    {"BAR1 Memory Usage/Total", "bar1_memory_usage/total", &MigDevice::bar1},
};
// Without meaning to a machine, or also in the lines above.
constexpr std::string_view kRedundant[] = {
    "Index",           "index",
    "GPU Instance ID", "gpu_instance_id",
    "Compute Instance ID", "compute_instance_id",
    "FB Memory Usage/Reserved", "fb_memory_usage/reserved",
    "BAR1 Memory Usage/Used", "bar1_memory_usage/used",
    "BAR1 Memory Usage/Free", "bar1_memory_usage/free",
};
// clang-format on

// Newer drivers say that the memory is shared by the compute instances.
std::string plain_name(std::string_view name) {
  if (name == "BAR1 Memory" || name == "Shared BAR1 Memory" || name == "Shared BAR1 Memory Usage" ||
      name == "shared_bar1_memory_usage")
    return name.front() != 's' ? "BAR1 Memory Usage" : "bar1_memory_usage";
  if (name == "Shared FB Memory Usage") return "FB Memory Usage";
  if (name == "shared_fb_memory_usage") return "fb_memory_usage";
  return std::string(name);
}

class DeviceReader {
 public:
  DeviceReader(const Log& log, const Node& node, Leftovers& leftovers)
      : log_(log), node_(node), leftovers_(leftovers) {}

  Expected<MigDevice> read_device() {
    const bool text = log_.format == Format::text;
    device_.place = {log_.file, node_.line};
    const Id ids[] = {{text ? "Index" : "index", kLastInstance, &device_.index},
                      {text ? "GPU Instance ID" : "gpu_instance_id", kLastInstance, &device_.instance},
                      {text ? "Compute Instance ID" : "compute_instance_id", kLastCompute, &device_.compute}};
    for (const auto& id : ids)
      if (auto good = read_id(id); !good) return sim::fail(std::move(good.error()));
    for (const auto& child : node_.children)
      if (auto good = walk("", child); !good) return sim::fail(std::move(good.error()));
    return device_;
  }

 private:
  struct Id {
    const char* name;
    std::uint64_t last;
    std::uint32_t* value;
  };

  Expected<std::uint64_t> number(const Node& node) const {
    const auto value = read_value(node.value, Unit::number, {});
    const auto out = value ? sim::text::number_of<std::uint64_t>(*value) : std::nullopt;
    if (!out)
      return refuse({log_.file, node.line},
                    "'" + node.name + "' has a value of another form: " + sim::quote(node.value));
    return *out;
  }

  Expected<void> read_id(const Id& id) const {
    const Node* node = node_.find(id.name);
    if (node == nullptr)
      return refuse({log_.file, node_.line},
                    std::string("a MIG device without '") + id.name + "'; the log is cut here");
    const auto out = number(*node);
    if (!out) return sim::fail(out.error());
    if (*out > id.last)
      return refuse({log_.file, node->line}, "expected '" + node->name + "' up to " + std::to_string(id.last) +
                                                 ", got " + sim::quote(node->value));
    *id.value = static_cast<std::uint32_t>(*out);
    return {};
  }

  Expected<void> walk(const std::string& above, const Node& node) {
    const std::string path = above.empty() ? plain_name(node.name) : above + "/" + node.name;
    for (const auto& child : node.children)
      if (auto good = walk(path, child); !good) return good;
    if (node.value.empty() || says_absent(node.value) || says_nothing(node.value)) return {};
    const auto row = std::find_if(std::begin(kMigRows), std::end(kMigRows),
                                  [&](const MigRow& r) { return path == r.text || path == r.xml; });
    if (row != std::end(kMigRows)) {
      const auto value = number(node);
      if (!value) return sim::fail(value.error());
      device_.*row->value = *value;
    } else if (std::find(std::begin(kRedundant), std::end(kRedundant), path) == std::end(kRedundant)) {
      leftovers_.unknown.push_back(Place{log_.file, node.line}.text() + ": MIG Device/" + path + ": " + node.value);
    }
    return {};
  }

  const Log& log_;
  const Node& node_;
  Leftovers& leftovers_;
  MigDevice device_;
};

}  // namespace

Expected<std::vector<MigDevice>> read_mig_devices(const Log& log, const Node& gpu, Leftovers& leftovers) {
  std::vector<MigDevice> out;
  const auto add = [&](const Node& node) -> Expected<void> {
    auto device = DeviceReader(log, node, leftovers).read_device();
    if (!device) return sim::fail(std::move(device.error()));
    for (const auto& other : out)
      if (other.instance == device->instance && other.compute == device->compute)
        return refuse(device->place, "the MIG device of GPU instance " + std::to_string(device->instance) +
                                         " and compute instance " + std::to_string(device->compute) + " comes twice");
    out.push_back(std::move(*device));
    return {};
  };
  for (const auto& child : gpu.children) {
    if (child.name == "MIG Device")
      if (auto good = add(child); !good) return sim::fail(std::move(good.error()));
    if (child.name != "mig_devices") continue;
    for (const auto& device : child.children)
      if (device.name == "mig_device")
        if (auto good = add(device); !good) return sim::fail(std::move(good.error()));
  }
  return out;
}

std::map<std::uint32_t, std::uint64_t> process_memory(const Log& log, const Node& gpu) {
  std::map<std::uint32_t, std::uint64_t> out;
  for (const auto& child : gpu.children) {
    if (child.name != "Processes" && child.name != "processes") continue;
    for (const auto& process : processes_of(log, child)) {
      const auto used = process.used == nullptr ? std::nullopt : read_value(process.used->value, Unit::number, {});
      if (!used || !process.gpu_instance) continue;
      out[*process.gpu_instance] += sim::text::number_of<std::uint64_t>(*used).value_or(0);
    }
  }
  return out;
}

}  // namespace nvmlkit::smi_log
