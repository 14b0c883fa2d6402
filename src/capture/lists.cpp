// The lists of a GPU that one function reports.
#include <fmt/format.h>

#include "capture/parts.hpp"

namespace nvmlkit::capture {
namespace {

std::uint64_t number(const Json& item, const char* name) {
  const auto at = item.find(name);
  return at != item.end() && at->is_number() ? at->get<std::uint64_t>() : 0;
}

// Each item as a mapping: key of the machine file -> name in the answer.
using Keys = std::initializer_list<std::pair<const char*, const char*>>;

FlowMap mapping(const Json& item, Keys keys) {
  FlowMap out;
  for (const auto& [key, name] : keys) out.add(key, number(item, name));
  return out;
}

void add_word(FlowMap& map, const char* key, const std::string& word) {
  if (!word.empty()) map.add(key, in_quotes(word));
}

std::vector<std::uint32_t> bits(const Json& mask) {
  std::vector<std::uint32_t> out;
  const auto words = mask.find("mask");
  for (std::uint32_t i = 0; words != mask.end() && i < words->size(); ++i)
    for (std::uint32_t bit = 0; bit < 32; ++bit)
      if ((words->at(i).get<std::uint64_t>() >> bit & 1) != 0) out.push_back(i * 32 + bit);
  return out;
}

FlowList numbers(const std::vector<std::uint32_t>& all) {
  FlowList out;
  for (const auto one : all) out.add(std::to_string(one));
  return out;
}

void record_supported_clocks(Record& gpu) {
  const std::string question = "nvmlDeviceGetSupportedMemoryClocks";
  FlowList clocks;
  if (const auto* memory = gpu.ask(question, "clocksMHz"))
    for (const auto& mhz : *memory) {
      FlowMap clock;
      clock.add("freq_mhz", mhz.get<std::uint64_t>());
      FlowList graphics;
      const auto of_memory = fmt::format("nvmlDeviceGetSupportedGraphicsClocks({})", mhz.get<std::uint64_t>());
      if (const auto* all = gpu.ask(of_memory, "clocksMHz"))
        for (const auto& one : *all) graphics.add(one.dump());
      clock.add("graphics_clocks", graphics.yaml());
      clocks.add(clock.yaml());
    }
  else if (!failed(gpu.ask(question), "NOT_SUPPORTED"))
    return;
  gpu.set("supported_clocks.memory_clocks", clocks, {question, "nvmlDeviceGetSupportedGraphicsClocks"});
}

void record_sessions(Record& gpu) {
  if (const auto* all = gpu.ask("nvmlDeviceGetEncoderSessions", "sessionInfos")) {
    FlowList sessions;
    for (const auto& one : *all) {
      auto session = mapping(one, {{"id", "sessionId"},
                                   {"pid", "pid"},
                                   {"width", "hResolution"},
                                   {"height", "vResolution"},
                                   {"average_fps", "averageFps"},
                                   {"average_latency_us", "averageLatency"}});
      add_word(session, "codec", word_of("encoder_sessions.codec", number(one, "codecType")));
      sessions.add(session.yaml());
    }
    gpu.set("encoder_sessions", sessions, {"nvmlDeviceGetEncoderSessions"});
  }
  if (const auto* all = gpu.ask("nvmlDeviceGetFBCSessions", "sessionInfo")) {
    FlowList sessions;
    for (const auto& one : *all) {
      auto session = mapping(one, {{"id", "sessionId"},
                                   {"pid", "pid"},
                                   {"display", "displayOrdinal"},
                                   {"max_width", "hMaxResolution"},
                                   {"max_height", "vMaxResolution"},
                                   {"width", "hResolution"},
                                   {"height", "vResolution"},
                                   {"average_fps", "averageFPS"},
                                   {"average_latency_us", "averageLatency"}});
      session.add("flags", fmt::format("0x{:x}", number(one, "sessionFlags")));
      add_word(session, "type", word_of("fbc_sessions.type", number(one, "sessionType")));
      sessions.add(session.yaml());
    }
    gpu.set("fbc_sessions", sessions, {"nvmlDeviceGetFBCSessions"});
  }
}

void record_retired_pages(Record& gpu) {
  const std::pair<const char*, const char*> causes[] = {
      {"NVML_PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS", "single_bit_retirement"},
      {"NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR", "double_bit_retirement"}};
  for (const auto& [cause, field] : causes) {
    const auto question = fmt::format("nvmlDeviceGetRetiredPages({})", cause);
    const auto* pages = gpu.ask(question, "addresses");
    if (pages == nullptr) continue;
    FlowList addresses;
    for (const auto& page : *pages) addresses.add(fmt::format("0x{:x}", page.get<std::uint64_t>()));
    gpu.set(fmt::format("retired_pages.{}.count", field), std::to_string(pages->size()), {question});
    gpu.set(fmt::format("retired_pages.{}.addresses", field), addresses, {question});
  }
}

void record_power_profiles(Record& gpu) {
  const std::string offers = "nvmlDeviceWorkloadPowerProfileGetProfilesInfo";
  const std::string current = "nvmlDeviceWorkloadPowerProfileGetCurrentProfiles";
  const auto* offered = gpu.ask(offers, "profilesInfo");
  if (offered == nullptr) {
    if (failed(gpu.ask(offers), "NOT_SUPPORTED")) gpu.set("workload_power_profiles.profiles", "[]", {offers});
    return;
  }
  FlowList profiles;
  for (const auto id : bits((*offered)["perfProfilesMask"])) {
    const auto* info = at(offered, fmt::format("perfProfile.{}", id));
    if (info == nullptr) continue;
    FlowMap profile;
    profile.add("id", id);
    profile.add("priority", number(*info, "priority"));
    profile.add("conflicts", numbers(bits((*info)["conflictingMask"])).yaml());
    profiles.add(profile.yaml());
  }
  gpu.set("workload_power_profiles.profiles", profiles, {offers});
  if (const auto* mask = gpu.ask(current, "currentProfiles.requestedProfilesMask"))
    gpu.set("workload_power_profiles.requested", numbers(bits(*mask)), {current});
}

// The preset profiles of power smoothing, a field value for each parameter.
void record_power_smoothing(Record& gpu) {
  static constexpr std::pair<const char*, const char*> kParameters[] = {
      {"PERCENT_TMP_FLOOR", "percent_tmp_floor"},
      {"RAMP_UP_RATE", "ramp_up_rate_mw_per_s"},
      {"RAMP_DOWN_RATE", "ramp_down_rate_mw_per_s"},
      {"RAMP_DOWN_HYST_VAL", "ramp_down_hysteresis_ms"},
      {"SECONDARY_POWER_FLOOR", "secondary_power_floor_w"},
      {"PRIMARY_FLOOR_ACT_WIN_MULT", "primary_floor_activation_window_multiplier"},
      {"PRIMARY_FLOOR_TAR_WIN_MULT", "primary_floor_target_window_multiplier"},
      {"PRIMARY_FLOOR_ACT_OFFSET", "primary_floor_activation_offset_w"}};
  constexpr int kProfiles = 5;
  FlowList profiles;
  std::vector<std::string> questions;
  for (int i = 0; i < kProfiles; ++i) {
    FlowMap profile;
    bool any = false;
    for (const auto& [id, field] : kParameters) {
      questions.push_back(fmt::format("nvmlDeviceGetFieldValues(NVML_FI_PWR_SMOOTHING_PROFILE_{}, {})", id, i));
      if (const auto* value = gpu.ask(questions.back(), "value")) profile.add(field, value->dump()), any = true;
    }
    if (any) profiles.add(profile.yaml());
  }
  if (!profiles.empty()) gpu.set("power_smoothing.profiles", profiles, questions);
}

void record_bandwidth_modes(Record& gpu) {
  const std::string question = "nvmlDeviceGetNvlinkSupportedBwModes";
  const auto* modes = gpu.ask(question, "supportedBwMode.bwModes");
  if (modes == nullptr || !modes->is_string()) {
    if (failed(gpu.ask(question), "NOT_SUPPORTED")) gpu.set("nvlink_bandwidth.modes", "[]", {question});
    return;
  }
  FlowList list;
  const auto count = gpu.number(question, "supportedBwMode.totalBwModes");
  for (std::size_t i = 0; i < count; ++i)
    list.add(std::to_string(std::stoul(modes->get<std::string>().substr(i * 2, 2), nullptr, 16)));
  gpu.set("nvlink_bandwidth.modes", list, {question});
  if (const auto* mode = gpu.ask("nvmlDeviceGetNvlinkBwMode", "getBwMode.bwMode")) {
    gpu.set("nvlink_bandwidth.mode", mode->dump(), {"nvmlDeviceGetNvlinkBwMode"});
    if (gpu.number("nvmlDeviceGetNvlinkBwMode", "getBwMode.bIsBest") != 0)
      gpu.set("nvlink_bandwidth.best_mode", mode->dump(), {"nvmlDeviceGetNvlinkBwMode"});
  }
}

}  // namespace

void record_lists(Record& gpu) {
  record_supported_clocks(gpu);
  record_sessions(gpu);
  record_retired_pages(gpu);
  record_power_profiles(gpu);
  record_power_smoothing(gpu);
  record_bandwidth_modes(gpu);
  if (const auto* chips = gpu.ask("nvmlDeviceGetBridgeChipInfo", "bridgeHierarchy.bridgeChipInfo")) {
    FlowList list;
    const auto count = gpu.number("nvmlDeviceGetBridgeChipInfo", "bridgeHierarchy.bridgeCount");
    for (std::size_t i = 0; i < count && i < chips->size(); ++i) {
      auto chip = mapping(chips->at(i), {{"firmware_version", "fwVersion"}});
      add_word(chip, "type", word_of("bridge_chips.type", number(chips->at(i), "type")));
      list.add(chip.yaml());
    }
    gpu.set("bridge_chips", list, {"nvmlDeviceGetBridgeChipInfo"});
  }
  if (const auto* faults = gpu.ask("nvmlDeviceGetClkMonStatus", "status.clkMonList")) {
    FlowList list;
    const auto count = gpu.number("nvmlDeviceGetClkMonStatus", "status.clkMonListSize");
    for (std::size_t i = 0; i < count && i < faults->size(); ++i)
      list.add(mapping(faults->at(i), {{"domain", "clkApiDomain"}, {"mask", "clkDomainFaultMask"}}).yaml());
    gpu.set("clock_monitor.faults", list, {"nvmlDeviceGetClkMonStatus"});
  }
  const std::string unique = "nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts";
  if (const auto* errors = gpu.ask(unique, "errorCounts.entries"); errors != nullptr && errors->is_array()) {
    FlowList list;
    for (const auto& one : *errors) {
      auto error = mapping(one, {{"unit", "unit"},
                                 {"location", "location"},
                                 {"sublocation", "sublocation"},
                                 {"extlocation", "extlocation"},
                                 {"address", "address"},
                                 {"count", "count"}});
      error.add("parity", number(one, "isParity") != 0 ? "true" : "false");
      list.add(error.yaml());
    }
    gpu.set("ecc.sram.unique_errors", list, {unique});
  }
}

}  // namespace nvmlkit::capture
