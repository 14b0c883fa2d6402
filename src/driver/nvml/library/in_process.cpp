// The driver as a table of this program. Each simulated driver is a hook that selects, during a call, the machine of
// the exported functions.
#include <charconv>
#include <cstring>
#include <nvmlkit/interpose/hook.hpp>
#include <nvmlkit/sim/table.hpp>
#include <sstream>
#include <vector>

#include "driver/nvml/generated/in_process_table.hpp"
#include "driver/nvml/library/lifecycle.hpp"
#include "sim/config/load.hpp"
#include "sim/native/clock.hpp"
#include "sim/problem/names.hpp"
#include "sim/problem/text.hpp"
#include "sim/state/clock.hpp"
#include "sim/steering/command.hpp"
#include "sim/steering/fault.hpp"
#include "sim/traits/driver_branch.hpp"

// A table is that of its machine's branch, whichever it is.
const unsigned int nvmlkit::driver::built_for_branch = 0;

namespace nvmlkit::sim {
namespace {

using nvml::Errc;
using nvml::Failure;
namespace interpose = nvml::interpose;

// The functions answer about this driver until the end; calls do not nest, but a call may come from within a call of
// another table's function, such as a log that looks a name up.
class Current {
 public:
  explicit Current(driver::detail::Running& running) : before_(driver::detail::current) {
    driver::detail::current = &running;
  }
  ~Current() { driver::detail::current = before_; }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  driver::detail::Running* before_;
};

class DriverHook : public interpose::Hook {
 public:
  interpose::Word on_call(const interpose::Call& call) noexcept override {
    const Current current(driver);
    return call.forward();
  }
  driver::Driver driver;
};

// "12.4.127" as a number that compares.
std::uint64_t header_number(std::string_view header) {
  std::uint64_t out = 0;
  const char* at = header.data();
  const char* end = at + header.size();
  for (int part = 0; part < 3; ++part) {
    std::uint32_t number = 0;
    at = std::from_chars(at, end, number).ptr;
    if (at != end) ++at;
    out = out << 20 | number;
  }
  return out;
}

bool exports(const DriverBranch& branch, const nvml::Symbol& symbol) {
  const std::string_view exported_by = symbol.exported_by;
  if (branch.exports_known) return exported_by.find(std::to_string(branch.number)) != std::string_view::npos;
  if (exported_by.find("555") != std::string_view::npos) return true;
  return *symbol.since != '\0' && header_number(symbol.since) > header_number("12.5.82") &&
         header_number(symbol.since) <= header_number(branch.header);
}

void hide_what_is_not_exported(nvml::Table& table, const DriverBranch& branch) {
  for (const nvml::Symbol& symbol : nvml::symbols())
    if (!exports(branch, symbol)) std::memset(reinterpret_cast<char*>(&table) + symbol.offset, 0, sizeof(void (*)()));
}

Expected<std::unique_ptr<Machine>> load(const std::string& machine, const SimulationOptions& options) {
  if (machine.find('\n') == std::string::npos) {
    Environment environment;
    environment.set("NVMLKIT_MACHINE", machine);
    environment.set("NVMLKIT_DRIVER", options.driver);
    if (options.gpu_count) environment.set("NVMLKIT_GPU_COUNT", std::to_string(*options.gpu_count));
    if (!options.time.empty()) environment.set("NVMLKIT_TIME", options.time);
    return load_machine(environment);
  }
  Overrides overrides;
  overrides.gpu_count = options.gpu_count;
  if (!options.time.empty()) {
    overrides.pace = parse_pace(options.time);
    if (!overrides.pace) return fail(wrong_value(kPaceWords, quote(options.time)).at({"time", 0, 0}));
  }
  if (!options.driver.empty()) {
    overrides.driver_version = driver_version_of(options.driver);
    if (!overrides.driver_version) return fail(unknown_driver(options.driver).at({"driver", 0, 0}));
  }
  return read_machine("machine", machine, overrides);
}

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

nvml::Result<void> result_of(const Expected<void>& done) {
  if (done) return {};
  return Failure(Errc::invalid_argument, nullptr, text_of(done.error()));
}

}  // namespace

class SimulatedDriver::Instance {
 public:
  Instance(interpose::Wrapped wrapped, const Machine& machine) : wrapped_(std::move(wrapped)), machine_(machine) {}
  const nvml::Table& table() const noexcept { return wrapped_.table(); }
  const Machine& machine() const noexcept { return machine_; }

 private:
  interpose::Wrapped wrapped_;  // holds the hook, and so the machine
  const Machine& machine_;
};

nvml::Result<SimulatedDriver> SimulatedDriver::create(const std::string& machine, const SimulationOptions& options) {
  auto loaded = load(machine, options);
  if (!loaded) return Failure(Errc::invalid_argument, nullptr, text_of(loaded.error()));
  nvml::Table table = driver::in_process_table();
  if (!options.driver.empty()) hide_what_is_not_exported(table, nearest_branch(branch_number(options.driver)));
  const auto hook = std::make_shared<DriverHook>();
  static_cast<driver::Lifecycle&>(hook->driver).machine = loaded->release();
  auto wrapped = interpose::wrap(table, hook);
  if (!wrapped) return wrapped.error();
  const Machine& owned = *static_cast<driver::Lifecycle&>(hook->driver).machine;
  return SimulatedDriver(std::make_unique<Instance>(std::move(*wrapped), owned));
}

SimulatedDriver::SimulatedDriver(std::unique_ptr<Instance> instance) noexcept : instance_(std::move(instance)) {}
SimulatedDriver::SimulatedDriver(SimulatedDriver&&) noexcept = default;
SimulatedDriver& SimulatedDriver::operator=(SimulatedDriver&&) noexcept = default;
SimulatedDriver::~SimulatedDriver() = default;

nvml::Result<void> SimulatedDriver::inject(std::string_view fault) {
  return result_of(steering::inject(instance_->machine(), words_of(fault)));
}

nvml::Result<void> SimulatedDriver::heal(std::string_view what) {
  return result_of(steering::heal(instance_->machine(), words_of(what)));
}

nvml::Result<void> SimulatedDriver::steer(std::string_view command) {
  return result_of(steering::steer(instance_->machine(), words_of(command)));
}

nvml::Result<void> SimulatedDriver::raise_xid(unsigned int gpu, unsigned int xid) {
  return inject("gpu=" + std::to_string(gpu) + " xid " + std::to_string(xid) + " --force");
}

const nvml::Table& SimulatedDriver::table() const noexcept { return instance_->table(); }

}  // namespace nvmlkit::sim
