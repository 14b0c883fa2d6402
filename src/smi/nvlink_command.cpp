// nvlink -s, -c, -e, -p, -R: the NVLinks of each GPU. The form of the lines is that of 535 to 555.
#include <fmt/format.h>

#include <array>
#include <nvmlkit/ranges.hpp>

#include "smi/commands.hpp"

namespace nvmlkit::smi {
namespace {

constexpr int kUnknownNvlinkOption = 2, kUnknownNvlinkCommand = 255;

using nvml::NvLink;
using nvml::NvLinkCapability;
using nvml::NvLinkErrorCounter;

// The lines of a link that is active.
using LinkText = std::string (*)(const Gpu& gpu, const NvLink& link);

std::string speed(const Gpu& gpu, const NvLink& link) {
  const auto megabytes = gpu.field(nvml::FieldId::dev_nvlink_get_speed, link.index());
  return fmt::format("\t Link {}: {} GB/s\n", link.index(),
                     megabytes ? fmt::format("{:g}", nvml::as_double(*megabytes) / 1000) : "N/A");
}

std::string capabilities(const Gpu& gpu, const NvLink& link) {
  constexpr std::array<std::pair<NvLinkCapability, const char*>, 6> kAll = {{
      {NvLinkCapability::p2p_supported, "P2P is supported"},
      {NvLinkCapability::sysmem_access, "Access to system memory supported"},
      {NvLinkCapability::p2p_atomics, "P2P atomics supported"},
      {NvLinkCapability::sysmem_atomics, "System memory atomics supported"},
      {NvLinkCapability::sli_bridge, "SLI is supported"},
      {NvLinkCapability::valid, "Link is supported"},
  }};
  std::string text;
  for (const auto& [capability, name] : kAll)
    if (const auto has = gpu->nvlink_capability(link.index(), capability))
      text += fmt::format("\t Link {}, {}: {}\n", link.index(), name, *has);
  return text;
}

std::string errors(const Gpu&, const NvLink& link) {
  constexpr std::array<std::pair<NvLinkErrorCounter, const char*>, 3> kAll = {{
      {NvLinkErrorCounter::dl_replay, "Replay"},
      {NvLinkErrorCounter::dl_recovery, "Recovery"},
      {NvLinkErrorCounter::dl_crc_flit, "CRC"},
  }};
  std::string text;
  for (const auto& [counter, name] : kAll) {
    const auto count = link.errors(counter);
    text += fmt::format("\t Link {}: {} Errors: {}\n", link.index(), name, count ? std::to_string(*count) : "N/A");
  }
  return text + "\n";
}

std::string bus_id(const Gpu&, const NvLink& link) {
  const auto remote = link.remote_pci_bus_id();
  return remote ? fmt::format("\t Link {}: {}\n", link.index(), *remote) : "";
}

std::string remote_link(const Gpu& gpu, const NvLink& link) {
  const auto remote = link.remote_pci_bus_id();
  const auto number = gpu.field(nvml::FieldId::dev_nvlink_remote_nvlink_id, link.index());
  if (!remote || !number) return "";
  return fmt::format("\t Link {}: Remote Device {}: Link {}\n", link.index(), *remote,
                     static_cast<unsigned>(nvml::as_double(*number)));
}

struct NvlinkCommand {
  std::string_view short_name, long_name;
  LinkText text;
};
constexpr NvlinkCommand kNvlinkCommands[] = {
    {"-s", "--status", speed},    {"-c", "--capabilities", capabilities},  {"-e", "--errorcounters", errors},
    {"-p", "--pcibusid", bus_id}, {"-R", "--remotelinkinfo", remote_link},
};

struct Asked {
  const NvlinkCommand* command = nullptr;
  std::vector<std::string> ids;
  std::optional<Output> refusal;
};

Asked parse(const std::vector<std::string>& words) {
  Asked asked;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const NvlinkCommand* found = nullptr;
    for (const auto& command : kNvlinkCommands)
      if (command.short_name == words[i] || command.long_name == words[i]) found = &command;
    if (found)
      asked.command = found;
    else if ((words[i] == "-i" || words[i] == "--id") && i + 1 < words.size())
      asked.ids = split(words[++i], ',');
    else {
      asked.refusal = {fmt::format("Option \"{}\" is not recognized.\n", words[i]), kUnknownNvlinkOption};
      break;
    }
  }
  if (!asked.refusal && !asked.command)
    asked.refusal = {"nvmlkit smi knows of nvlink: -s, -c, -e, -p, -R, each with -i\n", kUnknownNvlinkCommand};
  return asked;
}

std::string links_of(const Gpu& gpu, const NvlinkCommand& command) {
  std::string text;
  const auto links = gpu->nvlinks();
  for (unsigned i = 0; links && i < links->size(); ++i) {
    const auto link = (*links)[i];
    const auto active = link.active();
    if (!active) continue;
    if (*active)
      text += command.text(gpu, link);
    else if (command.text == speed)
      text += fmt::format("\t Link {}: <inactive>\n", i);
  }
  return text;
}

}  // namespace

Output nvlink(const Host& host, const Options& options) {
  const auto asked = parse(options.words);
  if (asked.refusal) return *asked.refusal;
  const auto selection = select_gpus(host, asked.ids);
  if (selection.refusal) return *selection.refusal;
  Output output;
  for (const auto& gpu : selection.gpus) {
    const auto links = links_of(gpu, *asked.command);
    if (links.empty()) continue;
    output.text +=
        fmt::format("GPU {}: {} (UUID: {})\n", gpu.index(), gpu->name().value_or("N/A"), gpu->uuid().value_or("N/A"));
    output.text += links;
  }
  return output;
}

}  // namespace nvmlkit::smi
