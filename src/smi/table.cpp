// The table that nvidia-smi prints without arguments.
#include <fmt/format.h>

#include <iterator>

#include "smi/commands.hpp"
#include "smi/log/processes.hpp"
#include "smi/log/time.hpp"
#include "smi/log/values.hpp"
#include "smi/mig_table.hpp"

namespace nvmlkit::smi {
namespace {

constexpr Version kWide{545, 0};        // the table got wider by two columns
constexpr Version kLongPid{570, 0};     // the column of the PID by six
constexpr Version kNewBorders{580, 0};  // crosses instead of bars below the versions
constexpr int kBlankLine = 89;          // spaces, in 535 too
constexpr Version kNewNames{610, 0};    // KMD and CUDA UMD

// The widths of the three columns, and of the whole.
struct Widths {
  explicit Widths(Version version) : middle(version < kWide ? 22 : 24), whole(version < kWide ? 87 : 89) {}

  int first = 41, middle, last = 22, whole;
};

using Buffer = fmt::memory_buffer;

template <class... Arguments>
void add(Buffer& out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Arguments>(arguments)...);
}

void add_rule(const Widths& widths, char begin, char line, Buffer& out, char end) {
  add(out, "{0}{2}+{3}+{4}{1}\n", begin, end, std::string(static_cast<std::size_t>(widths.first), line),
      std::string(static_cast<std::size_t>(widths.middle), line),
      std::string(static_cast<std::size_t>(widths.last), line));
}

void add_whole_rule(const Widths& widths, char end, char line, Buffer& out) {
  add(out, "{0}{1}{0}\n", end, std::string(static_cast<std::size_t>(widths.whole), line));
}

void add_row(const Widths& widths, const std::string& first, const std::string& middle, const std::string& last,
             Buffer& out) {
  add(out, "|{:<{}}|{:>{}} |{:>{}} |\n", first, widths.first, middle, widths.middle - 1, last, widths.last - 1);
}

void add_versions(const Host& host, Buffer& out) {
  if (host.version >= kNewNames)
    add(out, "| NVIDIA-SMI {:<22} KMD Version: {:<13} CUDA UMD Version: {:<8} |\n", host.driver_version,
        host.driver_version, host.cuda_version);
  else
    add(out, "| NVIDIA-SMI {:<22} Driver Version: {:<{}} CUDA Version: {:<8} |\n", host.driver_version,
        host.driver_version, host.version < kWide ? 12 : 14, host.cuda_version);
}

void add_head(const Host& host, const Widths& widths, Buffer& out) {
  add(out, "{:<31}\n", long_time(now_seconds()));
  add_whole_rule(widths, '+', '-', out);
  add_versions(host, out);
  add_rule(widths, host.version < kNewBorders ? '|' : '+', '-', out, '+');
  const bool wide = host.version >= kWide;
  add_row(widths, " GPU  Name                 Persistence-M", wide ? "Bus-Id          Disp.A" : "Bus-Id        Disp.A",
          "Volatile Uncorr. ECC", out);
  add_row(widths, " Fan  Temp   Perf          Pwr:Usage/Cap", "Memory-Usage", "GPU-Util  Compute M.", out);
  add_row(widths, "", "", "MIG M.", out);
  add_rule(widths, '|', '=', out, '|');
}

// A text that is too long for its cell ends with dots.
std::string fitting(const std::string& text, std::size_t room) {
  return text.size() <= room ? text : text.substr(0, room - 3) + "...";
}

std::string short_name(const Gpu& gpu) {
  constexpr std::size_t kRoom = 27;
  return fitting(show<&nvml::Device::name>(gpu), kRoom);
}

template <auto method>
std::string on_off(const Gpu& gpu) {
  return shown_as<method>(gpu, [](bool on) { return std::string(on ? "On" : "Off"); });
}

std::string whole_watts(const nvml::Result<nvml::Milliwatts>& power, const char* otherwise) {
  return power ? fmt::format("{}W", power->count() / 1000) : otherwise;
}

std::string power(const Gpu& gpu) {
  const bool wide = gpu.version() >= kWide;
  const auto draw = whole_watts(gpu->power_usage(), gpu.version() < kNewBorders ? "N/A" : "N/A ");
  const auto limit = whole_watts(gpu->enforced_power_limit(), wide ? "N/A " : "N/A");
  return fmt::format("{:>{}} / {:>{}}", draw, wide ? 16 : 17, fitting(limit, wide ? 5 : 4), wide ? 5 : 4);
}

std::string state_row(const Gpu& gpu) {
  const auto fan = gpu->fan_speed();
  const auto degrees = gpu->temperature(nvml::TemperatureSensor::gpu);
  const auto state = show<&nvml::Device::performance_state>(gpu);
  return fmt::format("{:>4}{:>6}{:>6}{}", fan ? fmt::format("{}%", fan->count()) : "N/A",
                     degrees ? fmt::format("{}C", degrees->count()) : "N/A", state == "N/A" ? "N/A " : state,
                     power(gpu));
}

// What GPUs that use the host's memory have in its place begins at the left.
std::string memory(const Gpu& gpu) {
  const auto& memory = gpu.memory();
  if (!memory && memory.error() == nvml::Errc::not_supported)
    return fmt::format("{:<{}}", " Not Supported", gpu.version() < kWide ? 21 : 23);
  const auto mib = [&](nvml::Bytes bytes) { return fmt::format("{}MiB", mebibytes(gpu.version(), bytes)); };
  const int room = gpu.version() < kWide ? 8 : 9;
  return fmt::format("{} / {:>{}}", memory ? mib(memory->used) : "N/A",
                     memory ? fitting(mib(memory->total), static_cast<std::size_t>(room)) : "N/A", room);
}

std::string ecc(const Gpu& gpu) {
  if (gpu.mig()) return "On";
  const auto& mode = gpu.ecc_mode();
  if (!mode) return gpu.failure(mode.error());
  if (!mode->current) return "Off";
  const auto count = gpu->total_ecc_errors(nvml::MemoryErrorType::uncorrected, nvml::EccCounter::volatile_);
  return count ? std::to_string(*count) : gpu.failure(count.error());
}

std::string short_compute_mode(const Gpu& gpu) {
  return shown_as<&nvml::Device::compute_mode>(gpu, [&](nvml::ComputeMode mode) {
    if (mode == nvml::ComputeMode::exclusive_process) return std::string("E. Process");
    if (mode == nvml::ComputeMode::exclusive_thread) return std::string("E. Thread");
    return text_of(gpu, mode);
  });
}

std::string mig_word(const Gpu& gpu) {
  const auto& mode = gpu.mig_mode();
  if (!mode) return gpu.failure(mode.error());
  if (mode->current_mode == mode->pending_mode) return text_of(gpu, mode->current_mode);
  return text_of(gpu, mode->pending_mode) + "*";
}

void add_gpu(const Gpu& gpu, const Widths& widths, Buffer& out) {
  const auto busy = gpu.utilization() ? fmt::format("{}%", gpu.utilization()->gpu.count()) : "N/A";
  add_row(widths,
          fmt::format("{:>4}  {:<31}{:<3}", gpu.index(), short_name(gpu), on_off<&nvml::Device::persistence_mode>(gpu)),
          fmt::format("{} {:>3}", gpu.bus_id(), on_off<&nvml::Device::display_active>(gpu)), ecc(gpu), out);
  add_row(widths, state_row(gpu), memory(gpu), fmt::format("{:>8}{:>13}", busy, short_compute_mode(gpu)), out);
  add_row(widths, "", "", mig_word(gpu), out);
  add_rule(widths, '+', '-', out, '+');
}

// The end of a path, without spaces behind it.
std::string short_path(std::string path, std::size_t room) {
  path.erase(path.find_last_not_of(' ') + 1);
  return path.size() <= room ? path : "..." + path.substr(path.size() - (room - 3));
}

void add_processes(const std::vector<Gpu>& gpus, const Widths& widths, Version version, Buffer& out) {
  const bool long_pid = version >= kLongPid;
  const int pid = long_pid ? 16 : 10, rest = widths.whole - 26 - pid - 1;
  const std::size_t room = long_pid ? 32 : 38;
  add_whole_rule(widths, '+', '-', out);
  add(out, "| {:<{}}|\n", "Processes:", widths.whole - 1);
  add(out, "|{:>5}{:>5}{:>5}{:>{}}{:>7}   {:<{}}|\n", "GPU", "GI", "CI", "PID", pid + 1, "Type",
      fmt::format("Process name{:>{}}", "GPU Memory", rest - 12), rest + 1);
  add(out, "|{:>10}{:>5}{:>{}} |\n", "ID", "ID", "Usage     ", widths.whole - 16);
  add_whole_rule(widths, '|', '=', out);
  bool any = false;
  for (const auto& gpu : gpus) {
    const auto processes = processes_of(gpu);
    if (!processes) continue;
    for (const auto& process : *processes) {
      any = true;
      const auto used =
          process.memory ? fmt::format("{}MiB", mebibytes(version, *process.memory)) : std::string("N/A      ");
      const auto name = short_path(process.name, room);
      add(out, "|{:>5}{:>6}{:>5}{:>{}}{:>7}   {}{:>{}} |\n", gpu.index(), instance_text(process.gpu_instance),
          instance_text(process.compute_instance), process.pid, pid, process.type(), name, used,
          rest - static_cast<int>(name.size()));
    }
  }
  if (!any) add(out, "|  {:<{}}|\n", "No running processes found", widths.whole - 2);
  add_whole_rule(widths, '+', '-', out);
}

}  // namespace

std::string table(const Host& host, const std::vector<Gpu>& gpus) {
  Buffer out;
  const Widths widths(host.version);
  add_head(host, widths, out);
  for (const auto& gpu : gpus) add_gpu(gpu, widths, out);
  const auto mig = mig_table(gpus, widths.whole);
  if (!mig.empty()) add(out, "\n{}", mig);
  add(out, "{:<{}}\n", "", host.version < kNewBorders ? kBlankLine : 0);
  add_processes(gpus, widths, host.version, out);
  return fmt::to_string(out);
}

}  // namespace nvmlkit::smi
