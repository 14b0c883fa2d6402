// Clocks: now, at most, as set, and those that can be set.
#include "smi/log/row.hpp"
#include "smi/log/samples.hpp"
#include "smi/log/values.hpp"

namespace nvmlkit::smi {
namespace {

using nvml::Clock;
using nvml::Device;

constexpr auto kGraphics = Clock::graphics, kMemoryClock = Clock::mem;

template <auto method, Clock type>
std::string clock(const Gpu& gpu) {
  const auto rate = std::invoke(method, gpu.device(), type);
  return rate ? text_of(gpu, *rate) : gpu.failure(rate.error());
}

template <Clock type>
constexpr Read kNow = clock<&Device::clock_info, type>;
template <Clock type>
constexpr Read kMost = clock<&Device::max_clock_info, type>;
template <Clock type>
constexpr Read kSet = clock<&Device::applications_clock, type>;
template <Clock type>
constexpr Read kDefault = clock<&Device::default_applications_clock, type>;

std::string deferred_memory(const Gpu& gpu) {
  const auto rate = gpu.private_table().deferred_memory_khz(gpu.device());
  return rate ? fmt::format("{} MHz", *rate / 1000) : gpu.failure(rate.error());
}

std::string voltage(const Gpu& gpu) {
  const auto microvolts = gpu.private_table().graphics_microvolts(gpu.device());
  return microvolts ? fmt::format("{:.3f} mV", *microvolts / 1000.0) : gpu.failure(microvolts.error());
}

// nvidia-smi of 535, 550 and 555 has no room for more.
constexpr std::size_t kOldRoom = 256;

// Each memory clock with the graphics clocks that go with it; `label` is empty in the document.
void supported(const Gpu& gpu, Lines& lines, bool text) {
  const char* heading = text ? "Supported Clocks" : "";
  const char* element = text ? "" : "supported_clocks";
  const auto memory_clocks = gpu->supported_memory_clocks();
  if (!memory_clocks || memory_clocks->empty())
    return lines.push_back({.depth = 1,
                            .label = heading,
                            .element = element,
                            .value = memory_clocks ? "N/A" : gpu.failure(memory_clocks.error())});
  lines.push_back({.depth = 1, .label = heading, .element = element});
  for (const auto memory_clock : *memory_clocks) {
    if (text)
      lines.push_back({.depth = 2, .label = "Memory", .value = text_of(gpu, memory_clock)});
    else {
      lines.push_back({.depth = 2, .element = "supported_mem_clock"});
      lines.push_back({.depth = 3, .element = "value", .value = text_of(gpu, memory_clock)});
    }
    const auto clocks = gpu->supported_graphics_clocks(memory_clock);
    if (!clocks) continue;
    if (gpu.version() < Version{560, 0} && clocks->size() > kOldRoom) {
      lines.push_back({.depth = 3,
                       .label = text ? "Graphics" : "",
                       .element = text ? "" : "supported_graphics_clock",
                       .value = "Unknown Error"});
      continue;
    }
    for (const auto rate : *clocks)
      lines.push_back({.depth = 3,
                       .label = text ? "Graphics" : "",
                       .element = text ? "" : "supported_graphics_clock",
                       .value = text_of(gpu, rate)});
  }
}

constexpr Sections kClock = Section::kLog | Section::kClock;

// clang-format off
constexpr Row kClockRows[] = {
    {1, "Clocks", "clocks", nullptr, kAlways, nullptr, kClock},
    {2, "Graphics", "graphics_clock", kNow<kGraphics>},
    {2, "SM", "sm_clock", kNow<Clock::sm>},
    {2, "Memory", "mem_clock", kNow<kMemoryClock>},
    {2, "Video", "video_clock", kNow<Clock::video>},
    {1, "Applications Clocks", "applications_clocks", nullptr, kAlways, nullptr, kClock},
    {2, "Graphics", "graphics_clock", kSet<kGraphics>, before(590)},
    {2, "Memory", "mem_clock", kSet<kMemoryClock>, before(590)},
    {2, "Graphics", "graphics_clock", deprecated, from(590)},
    {2, "Memory", "mem_clock", deprecated, from(590)},
    {1, "Default Applications Clocks", "default_applications_clocks", nullptr, kAlways, nullptr, kClock},
    {2, "Graphics", "graphics_clock", kDefault<kGraphics>, before(590)},
    {2, "Memory", "mem_clock", kDefault<kMemoryClock>, before(590)},
    {2, "Graphics", "graphics_clock", deprecated, from(590)},
    {2, "Memory", "mem_clock", deprecated, from(590)},
    {1, "Deferred Clocks", "deferred_clocks", nullptr, kAlways, nullptr, kClock},
    {2, "Memory", "mem_clock", deferred_memory},
    {1, "Max Clocks", "max_clocks", nullptr, kAlways, nullptr, kClock},
    {2, "Graphics", "graphics_clock", kMost<kGraphics>},
    {2, "SM", "sm_clock", kMost<Clock::sm>},
    {2, "Memory", "mem_clock", kMost<kMemoryClock>},
    {2, "Video", "video_clock", kMost<Clock::video>},
    {1, "Max Customer Boost Clocks", "max_customer_boost_clocks", nullptr, kAlways, nullptr, kClock},
    {2, "Graphics", "graphics_clock", clock<&Device::max_customer_boost_clock, kGraphics>},
    {.depth = 1, .label = "SM Clock Samples", .element = "", .sections = Section::kClock, .lines = sample_lines<nvml::SamplingType::processor_clk>},
    {.depth = 1, .label = "Memory Clock Samples", .element = "", .sections = Section::kClock, .lines = sample_lines<nvml::SamplingType::memory_clk>},
    {1, "Clock Policy", "clock_policy", nullptr, kAlways, nullptr, kClock},
    {2, "Auto Boost", "auto_boost", show<&Device::auto_boosted_clocks_enabled, &Device::AutoBoostedClocksEnabled::is_enabled>},
    {2, "Auto Boost Default", "auto_boost_default", show<&Device::auto_boosted_clocks_enabled, &Device::AutoBoostedClocksEnabled::default_is_enabled>},
    {1, "DLA Clocks", "dla_clocks", nullptr, from(615), nullptr, kClock},
    {2, "Current Engine Clock", "dla_cur_engine_clock", not_available},
    {2, "Max Engine Clock", "dla_max_engine_clock", not_available},
    {.depth = 1, .label = "Supported Clocks", .element = "", .sections = Section::kSupportedClocks, .lines = [](const Gpu& gpu, Lines& lines) { supported(gpu, lines, true); }},
    {1, "Voltage", "voltage", nullptr, before(580), nullptr, Section::kLog | Section::kVoltage},
    {2, "Graphics", "graphics_volt", voltage},
};

constexpr Row kSupportedClocks[] = {
    {.depth = 1, .label = "", .element = "supported_clocks", .lines = [](const Gpu& gpu, Lines& lines) { supported(gpu, lines, false); }},
};
// clang-format on

}  // namespace

std::span<const Row> clock_rows() { return kClockRows; }
std::span<const Row> supported_clock_rows() { return kSupportedClocks; }

}  // namespace nvmlkit::smi
