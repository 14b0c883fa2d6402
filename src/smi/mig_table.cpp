#include "smi/mig_table.hpp"

#include <fmt/format.h>

#include <iterator>
#include <optional>

#include "smi/log/values.hpp"

namespace nvmlkit::smi {
namespace {

constexpr Version kShared{580, 0};  // devices of an instance have cells of their own

struct Layout {
  explicit Layout(Version driver) : version(driver), memory(driver.branch < 545 ? 32 : 34), shared(driver >= kShared) {}

  Version version;
  int memory;
  bool shared;
};

using MigBuffer = fmt::memory_buffer;

template <class... Arguments>
void put(MigBuffer& out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Arguments>(arguments)...);
}

void add_separator(const Layout& layout, char end, char line, MigBuffer& out) {
  const auto part = [&](int width) { return std::string(static_cast<std::size_t>(width), line); };
  put(out, "{0}{1}+{2}+{3}+{4}{0}\n", end, part(18), part(layout.memory), part(11), part(23));
}

void add_mig_head(const Layout& layout, int width, MigBuffer& out) {
  put(out, "+{}+\n", std::string(static_cast<std::size_t>(width), '-'));
  put(out, "| {:<{}}|\n", "MIG devices:", width - 1);
  add_separator(layout, '+', '-', out);
  put(out, "| GPU  GI  CI  MIG |{:>{}} |        Vol|{:<23}|\n", layout.shared ? "Shared Memory-Usage" : "Memory-Usage",
      layout.memory - 1, layout.shared ? "        Shared         " : "      Shared");
  put(out, "|      ID  ID  Dev |{:>{}} | SM     Unc|{:<23}|\n", layout.shared ? "Shared BAR1-Usage" : "BAR1-Usage",
      layout.memory - 1, layout.shared ? " CE ENC  DEC  OFA  JPG " : " CE ENC DEC OFA JPG");
  put(out, "|                  |{:>{}}|        ECC|                       |\n", "", layout.memory);
  add_separator(layout, '|', '=', out);
}

// "              21MiB / 40448MiB  "
std::string usage(const Layout& layout, std::optional<nvml::Bytes> used, std::optional<nvml::Bytes> total, bool bar1) {
  const auto mib = [&](std::optional<nvml::Bytes> bytes) {
    return bytes ? fmt::format("{}MiB", mebibytes(layout.version, *bytes)) : std::string("N/A");
  };
  // 550 and 555 moved the second line by two columns.
  const int first = bar1 && !layout.shared && layout.memory == 34 ? 21 : 19;
  return fmt::format("{:<{}}", fmt::format("{:>{}} / {:>8}", mib(used), first, mib(total)), layout.memory);
}

template <class T>
std::string number(const Gpu& gpu, const nvml::Result<T>& result) {
  return result ? std::to_string(*result) : gpu.failure(result.error());
}

std::string engines(const Gpu& gpu, const nvml::MigDevice& device) {
  const auto a = device.attributes();
  if (!a) return fmt::format("{:>22} ", gpu.failure(a.error()));
  return fmt::format("{:>3}{:>4}{:>5}{:>5}{:>5} ", a->shared_copy_engine_count, a->shared_encoder_count,
                     a->shared_decoder_count, a->shared_ofa_count, a->shared_jpeg_count);
}

// The two lines of a device; `again` for another one of the same GPU instance, whose memory stands above.
void add_mig_device(const Gpu& gpu, unsigned index, const nvml::MigDevice& device, const Layout& layout, bool again,
                    MigBuffer& out) {
  const auto memory = device.memory_info();
  const auto bar1 = device.bar1_memory_info();
  const auto attributes = device.attributes();
  const auto errors = device.memory_error_counter(nvml::MemoryErrorType::uncorrected, nvml::EccCounter::volatile_,
                                                  nvml::MemoryLocation::sram);
  const auto some = [](const auto& result, auto member) {
    return result ? std::optional<nvml::Bytes>((*result).*member) : std::nullopt;
  };
  const std::string blank(static_cast<std::size_t>(layout.memory), ' ');
  put(out, "|{:>3}{:>5}{:>4}{:>4}  |{}|{:>3}{:>7} |{}|\n", gpu.index(), number(gpu, device.gpu_instance_id()),
      number(gpu, device.compute_instance_id()), index,
      again ? blank : usage(layout, some(memory, &nvml::Memory::used), some(memory, &nvml::Memory::total), false),
      attributes ? std::to_string(attributes->multiprocessor_count) : "N/A", number(gpu, errors), engines(gpu, device));
  put(out, "|{:18}|{}|{:11}|{:23}|\n", "",
      again ? blank : usage(layout, some(bar1, &nvml::Bar1Memory::used), some(bar1, &nvml::Bar1Memory::total), true),
      "", "");
}

}  // namespace

std::string mig_table(const std::vector<Gpu>& gpus, int width) {
  MigBuffer out;
  bool any = false;
  for (const auto& gpu : gpus) {
    if (!gpu.mig()) continue;
    const Layout layout(gpu.version());
    if (!any) add_mig_head(layout, width, out);
    any = true;
    const auto devices = gpu->mig_devices();
    if (!devices) continue;
    for (unsigned i = 0; i < devices->size(); ++i) {
      const auto& device = (*devices)[i];
      const auto same = [&](unsigned other) {
        const auto instance = device.gpu_instance_id(), theirs = (*devices)[other].gpu_instance_id();
        return instance && theirs && *instance == *theirs;
      };
      add_mig_device(gpu, i, device, layout, !layout.shared && i > 0 && same(i - 1), out);
      if (!layout.shared && i + 1 < devices->size() && same(i + 1))
        put(out, "+{}+{}+{}+{}+\n", std::string(18, '-'), std::string(static_cast<std::size_t>(layout.memory), ' '),
            std::string(11, '-'), std::string(23, '-'));
      else
        add_separator(layout, '+', '-', out);
    }
  }
  return fmt::to_string(out);
}

}  // namespace nvmlkit::smi
