// Simulated GPUs inside a program: a dispatch table that needs no driver library, for tests of code that uses NVML.
//
//   const auto driver = nvmlkit::sim::SimulatedDriver::create("h100").value();
//   const auto library = nvmlkit::nvml::Library::from_table(driver.table()).value();
//
// Link with nvmlkit::sim_table. The program exports no NVML symbol by this, and may load a real library as well.
#pragma once

#include <memory>
#include <nvmlkit/result.hpp>
#include <nvmlkit/table.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace nvmlkit::sim {

struct SimulationOptions {
  std::optional<unsigned int> gpu_count{};  // how many GPUs, whatever the machine says
  // The driver that answers, whatever the machine says: a branch ("535") or a version ("535.104.05"). Symbols that its
  // library does not export are null, and field ids are numbered as it numbers them. Of 535, 550 and 555 it is known
  // what they export; of other branches it is what their headers declare.
  std::string driver{};
  // How fast time passes from the start on: "real", "virtual" (it stands until somebody advances it), or how many times
  // faster than real it is. Empty: real.
  std::string time{};
};

// A machine with its driver, private to this object. Two of them share nothing: a handle of one is refused by the
// other. An owner: the table may be called while it lives; declare it before the Library that uses it. Takes one of the
// places of nvmlkit::nvml::interpose::wrap(), so that kWrapLimit of these and of wrapped tables live at a time.
class SimulatedDriver {
 public:
  // `machine`: the name of a built-in machine ("h100"), the path of a machine file (it holds a '/' or ends in .yaml or
  // .yml), or the text of one (it holds a newline). The environment is not looked at.
  // Errc::invalid_argument with what is wrong and where; Errc::insufficient_resources when all places are taken.
  static nvml::Result<SimulatedDriver> create(const std::string& machine, const SimulationOptions& options = {});
  SimulatedDriver(SimulatedDriver&&) noexcept;
  SimulatedDriver& operator=(SimulatedDriver&&) noexcept;
  ~SimulatedDriver();

  // Breaks something, with its consequences, as `nvmlkit fault` does: "gpu=0 xid 79", "gpu=all thermal",
  // "gpu=1 fail nvmlDeviceGetMemoryInfo GPU_IS_LOST --after 10 --times 3", "machine driver-not-loaded".
  // Errc::invalid_argument with what is wrong with the words; then nothing has happened. Any thread may call it.
  nvml::Result<void> inject(std::string_view fault);
  // Mends it: "gpu=0", "gpu=all thermal", "machine".
  nvml::Result<void> heal(std::string_view what);
  // Moves the machine as the command does, in the words behind `nvmlkit`: "set gpu=0 thermal.gpu=85",
  // "load gpu=all 80% --memory 40% --for 10s", "release gpu=0", "time virtual", "time advance 10s", "fault gpu=0 xid
  // 79", "heal gpu=all". As with inject(), wrong words change nothing.
  nvml::Result<void> steer(std::string_view command);
  // The Xid with what it does to the GPU; threads that wait for it wake.
  nvml::Result<void> raise_xid(unsigned int gpu, unsigned int xid);

  // Every symbol but nvmlInternalGetExportTable, whose signature is not public.
  const nvml::Table& table() const noexcept;

 private:
  class Instance;
  explicit SimulatedDriver(std::unique_ptr<Instance> instance) noexcept;
  std::unique_ptr<Instance> instance_;
};

}  // namespace nvmlkit::sim
