#include "kernel_log/lines.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <iterator>
#include <string_view>

#include "kernel_log/switch_errors.hpp"
#include "sim/events/messages.hpp"
#include "sim/generated/sxids.hpp"
#include "sim/generated/xids.hpp"
#include "sim/traits/architecture.hpp"
#include "sim/traits/driver_branch.hpp"

namespace nvmlkit::kernel_log {
namespace {

using namespace sim;
using events::Message;
using events::Published;
using model::Gpu;

#ifdef __aarch64__
constexpr const char* kProcessor = "aarch64";
#else
constexpr const char* kProcessor = "x86_64";
#endif

// Since when the kernel module leaves out a process that it does not know, logs recovery actions, names the client of a
// mismatch, and calls a reset a PF FLR: branches whose sources or reports show it.
constexpr unsigned int kLeavesOutProcess = 570, kLogsRecoveryAction = 565, kNamesClient = 575,
                       kFunctionLevelReset = 610;

__attribute__((format(printf, 1, 2))) std::string printed(const char* format, ...) {
  char out[512];
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(out, sizeof out, format, values);
  va_end(values);
  return out;
}

template <class Field>
std::string_view view_of(const Field& field, std::string_view otherwise = {}) {
  return field ? field->view() : otherwise;
}

std::string_view driver_version(const Machine& machine) { return view_of(machine.system().driver_version, "0"); }
unsigned int branch(const Machine& machine) { return branch_number(driver_version(machine)); }

model::PciBusId bus_id(const Gpu& gpu) { return gpu.pci.bus_id ? *gpu.pci.bus_id : model::PciBusId{}; }

// 0000:53:00, as Xids have it, and 0000:53:00.0.
std::string slot(const model::PciBusId& id) { return printed("%04x:%02x:%02x", id.domain, id.bus, id.device); }
std::string function(const model::PciBusId& id) { return slot(id) + printed(".%x", id.function); }

void replace(std::string& in, std::string_view what, const std::string& with) {
  for (auto at = in.find(what); at != std::string::npos; at = in.find(what, at + with.size()))
    in.replace(at, what.size(), with);
}

template <class Table>
auto entry_of(const Table& table, std::uint64_t number) {
  const auto found =
      std::find_if(std::begin(table), std::end(table), [&](const auto& e) { return e.number == number; });
  return found == std::end(table) ? nullptr : &*found;
}

// The row is not known to the simulation: the same for one GPU and number of the record.
std::string row_address(const Published& event) {
  return printed("0x%016llx", 0x1f00000ULL + (event.record * 0x9000 + event.gpu * 0x100000) % 0x400000000ULL);
}

std::string message_of_xid(const Gpu& gpu, const Published& event) {
  const auto* xid = entry_of(faults::xids, event.event.data);
  std::string out = xid ? std::string(xid->log) : "Unknown Error";
  // Before Ampere a page is retired in place of a row.
  if (!has(gpu, Trait::row_remapping) && event.event.data == 64)
    out = "Dynamic Page Retirement: FATAL, unable to retire page ({address})";
  if (!has(gpu, Trait::row_remapping) && event.event.data == 63)
    out = "Dynamic Page Retirement: New page retired, reboot to activate ({address})";
  replace(out, "{gpu}", std::to_string(event.gpu));
  replace(out, "{link}", printed("%02u", event.event.detail));
  replace(out, "{address}", row_address(event));
  return out;
}

std::string instances(const events::Event& event) {
  std::string out;
  if (event.gpu_instance != events::kNoInstance) out += printed(" GPU-I:%02u", event.gpu_instance);
  if (event.compute_instance != events::kNoInstance) out += printed(" GPU-CI:%02u", event.compute_instance);
  return out;
}

std::string process_of(const Machine& machine, const events::Process& process) {
  if (process.pid != 0) return printed("pid=%u, name=%s, ", process.pid, process.name);
  return branch(machine) < kLeavesOutProcess ? "pid='<unknown>', name=<unknown>, " : "";
}

std::string xid_line(const Machine& machine, const Gpu& gpu, const Published& event) {
  return "NVRM: Xid (PCI:" + slot(bus_id(gpu)) + instances(event.event) + "): " + std::to_string(event.event.data) +
         ", " + process_of(machine, event.process) + message_of_xid(gpu, event);
}

const char* action_name(std::uint32_t action, bool function_level_reset) {
  using model::RecoveryAction;
  switch (action) {
    case RecoveryAction::none:
      return "None";
    case RecoveryAction::reset:
      return function_level_reset ? "PF FLR" : "GPU Reset Required";
    case RecoveryAction::reboot:
      return function_level_reset ? "OS Reboot" : "Node Reboot Required";
    case RecoveryAction::drain_p2p:
      return "Drain P2P";
    case RecoveryAction::drain_and_reset:
      return "Drain and Reset";
    case RecoveryAction::recover_imex_domain:
      return "Recover IMEX Domain";
    default:
      return "Unknown";
  }
}

// An Xid of its own, 154, which is no event.
std::optional<std::string> recovery_line(const Machine& machine, const Gpu& gpu, const events::Event& event) {
  const auto driver = branch(machine);
  if (driver < kLogsRecoveryAction) return {};
  const auto from = events::value_of(event.data), to = event.detail;
  const bool reset = driver >= kFunctionLevelReset;
  return "NVRM: Xid (PCI:" + slot(bus_id(gpu)) + "): 154, " +
         (driver < kLeavesOutProcess ? "pid='<unknown>', name=<unknown>, " : "") +
         printed("GPU recovery action changed from 0x%x (%s) to 0x%x (%s)", from, action_name(from, reset), to,
                 action_name(to, reset));
}

std::optional<std::string> switch_line(const Machine& machine, const Published& published) {
  const auto error = switch_error_of(machine, published);
  if (!error) return {};
  const auto* sxid = entry_of(faults::sxids, error->number);
  return printed("nvidia-nvswitch%zu: SXid (PCI:", error->nvswitch) + function(error->place) +
         printed("): %05u, %s, Link %02u ", error->number, error->fatal ? "Fatal" : "Non-fatal", error->port) +
         std::string(sxid ? sxid->message : "Unknown Error");
}

// The library is newer than the module, as after an update without a reboot.
std::string newer(std::string_view version) {
  const auto end = version.rfind('.') + 1;
  const auto last = version.substr(end);
  if (last.empty() || last.size() > 4 || last.find_first_not_of("0123456789") != std::string_view::npos)
    return std::string(version) + ".1";
  return std::string(version.substr(0, end)) +
         printed("%0*u", static_cast<int>(last.size()), static_cast<unsigned int>(std::stoul(std::string(last))) + 1);
}

std::string mismatch_line(const Machine& machine, const events::Process& process) {
  const std::string module(driver_version(machine)), client = newer(module);
  if (branch(machine) < kNamesClient)
    return "NVRM: API mismatch: the client has the version " + client +
           ", but\nNVRM: this kernel module has the version " + module +
           ".  Please\nNVRM: make sure that this kernel module and all NVIDIA driver\n"
           "NVRM: components have the same version.";
  return printed("NVRM: API mismatch: the client '%s' (pid %u)\n", process.name, process.pid) +
         "NVRM: has the version " + client + ", but this kernel module has\nNVRM: the version " + module +
         ".  Please make sure that this\nNVRM: kernel module and all NVIDIA driver components\n"
         "NVRM: have the same version.";
}

std::optional<std::string> line_of_gpu(const Machine& machine, const Published& published) {
  if (published.gpu >= machine.gpus().size()) return {};  // a damaged file
  const auto& gpu = machine.gpus()[published.gpu];
  const auto& event = published.event;
  if (event.type != events::kLogged) return xid_line(machine, gpu, published);
  switch (events::message_of(event.data)) {
    case Message::gpu_uuid:
      return "NVRM: GPU at PCI:" + slot(bus_id(gpu)) + ": " + std::string(view_of(gpu.uuid));
    case Message::board_serial:
      return "NVRM: GPU Board Serial Number: " + std::string(view_of(gpu.serial));
    case Message::fallen_off:
      return "NVRM: GPU " + function(bus_id(gpu)) + ": GPU has fallen off the bus.";
    case Message::fallen_off_serial:
      return "NVRM: GPU " + function(bus_id(gpu)) + ": GPU serial number is " + std::string(view_of(gpu.serial)) + ".";
    case Message::recovery_action:
      return recovery_line(machine, gpu, event);
    case Message::switch_error:
      return switch_line(machine, published);
    default:
      return {};
  }
}

std::optional<std::string> line_of(const Machine& machine, const Published& published) {
  const auto& event = published.event;
  if (!events::has_record(event)) return {};
  if (event.type != events::kLogged || published.gpu != events::kNoGpu) return line_of_gpu(machine, published);
  switch (events::message_of(event.data)) {
    case Message::module_loaded:
      return "NVRM: loading " + module_identity(machine);
    case Message::switch_port_error:
      return switch_line(machine, published);
    case Message::api_mismatch:
      return mismatch_line(machine, published.process);
    default:
      return {};
  }
}

// NVRM writes without a level, which is the kernel's default; the driver of NVSwitches writes errors.
Level level_of(std::string_view line) { return line.starts_with("NVRM") ? Level::warning : Level::error; }

}  // namespace

std::optional<Record> record_of(const Machine& machine, const Published& event) {
  auto line = line_of(machine, event);
  if (!line) return {};
  return Record{event.record, event.uptime_us, level_of(*line), std::move(*line)};
}

// The CPU of a GPU with NVLink-C2C is a Grace. That of an integrated GPU is of Arm, too. Other machines have the
// processor of this host.
std::string module_identity(const Machine& machine) {
  const auto gpus = machine.gpus();
  const bool arm = std::any_of(gpus.begin(), gpus.end(), [](const Gpu& gpu) {
    return has(gpu, Trait::integrated) || (gpu.c2c.mode && *gpu.c2c.mode == model::EnableState::enabled);
  });
  // These GPUs work with the open kernel module only.
  const bool open = arm || std::any_of(gpus.begin(), gpus.end(),
                                       [](const Gpu& gpu) { return is_from(gpu, model::Architecture::blackwell); });
  const std::string processor(arm ? "aarch64" : kProcessor);
  return "NVIDIA UNIX " + (open ? "Open Kernel Module for " + processor : processor + " Kernel Module") + "  " +
         std::string(driver_version(machine)) + "  " + (open ? "Release Build  (nvmlkit)  " : "") +
         "Thu Jan  1 00:00:00 UTC 1970";
}

}  // namespace nvmlkit::kernel_log
