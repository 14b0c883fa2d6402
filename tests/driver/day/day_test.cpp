// A day of polling, as monitoring does it, in virtual time: every getter, field, sample and GPM metric of 8 GPUs and 56
// MIG devices. Values neither drift nor contradict each other, counters never go back, and nothing leaks.
//
// NVMLKIT_DAY_POLLS says how many polls the day has: 86400 are one a second.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "../steered.hpp"
#include "agreements.hpp"
#include "footprint.hpp"
#include "sim/events/ring.hpp"
#include "sim/processes/clients.hpp"
#include "telemetry.hpp"

namespace nvmlkit::driver_test {
namespace {

constexpr unsigned int kGpuCount = 8, kInstancesPerGpu = 7;
// Seconds. Hours are short for sanitizers: each second is a step of the machine.
constexpr int kHour = NVMLKIT_TEST_SANITIZED ? 900 : 3600, kDay = 24 * kHour;
constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::uint64_t kGib = 1ULL << 30;

int polls_wanted() {
  const char* text = std::getenv("NVMLKIT_DAY_POLLS");
  return text != nullptr ? std::clamp(std::atoi(text), 10, kDay) : 24;
}

std::uintptr_t value_of(const void* handle) { return reinterpret_cast<std::uintptr_t>(handle); }

class Day : public Steered {
 protected:
  void start_day() {
    const auto path = testing::TempDir() + "/day_" + std::to_string(getpid()) + ".yaml";
    std::ofstream(path) << "base: h100\nunits: [{name: S1070, fans: [{speed_rpm: 3000}], gpus: [0, 1]}]\n";
    begin(path, std::to_string(kGpuCount));
    unlink(path.c_str());
    const sim::state::Lock lock(*outside_);
    auto clock = outside_->host().clock;
    clock.at_ns -= clock.at_ns % kSecondNs;
    ASSERT_TRUE(lock.replace(outside_->host().clock, clock));
  }

  void make_instances() {
    for (unsigned int i = 0; i < kGpuCount; ++i) {
      auto& gpu = gpus_.emplace_back();
      gpu.handle = device(i);
      nvmlReturn_t activation{};
      ASSERT_EQ(call("nvmlDeviceSetMigMode", gpu.handle, 1U, &activation), NVML_SUCCESS);
      for (unsigned int j = 0; j < kInstancesPerGpu; ++j) {
        constexpr unsigned int kOneSlice = 19;
        nvmlGpuInstance_t instance = nullptr;
        nvmlComputeInstance_t compute = nullptr;
        ASSERT_EQ(call("nvmlDeviceCreateGpuInstance", gpu.handle, kOneSlice, &instance), NVML_SUCCESS);
        ASSERT_EQ(call("nvmlGpuInstanceCreateComputeInstance", instance, 0U, &compute), NVML_SUCCESS);
        subjects_.gpu_instances.push_back(value_of(instance));
        subjects_.compute_instances.push_back(value_of(compute));
      }
      // Their indexes are known when all are there: one more may come before the others.
      for (unsigned int j = 0; j < kInstancesPerGpu; ++j) {
        nvmlDevice_t handle = nullptr;
        ASSERT_EQ(call("nvmlDeviceGetMigDeviceHandleByIndex", gpu.handle, j, &handle), NVML_SUCCESS);
        gpu.mig_devices.push_back(handle);
        unsigned int id = 0;
        ASSERT_EQ(call("nvmlDeviceGetGpuInstanceId", handle, &id), NVML_SUCCESS);
        gpu.instances.push_back(id);
      }
    }
    const sim::processes::Request request{
        static_cast<std::uint32_t>(getpid()), sim::processes::compute, kGib, 1, gpus_[0].instances[0], 0, {}};
    ASSERT_EQ(sim::processes::attach(*outside_, 0, request), sim::processes::Outcome::done);
  }

  void find_subjects() {
    for (const auto& gpu : gpus_) {
      subjects_.gpus.push_back(value_of(gpu.handle));
      subjects_.devices.push_back(value_of(gpu.handle));
      for (const auto mig : gpu.mig_devices) subjects_.devices.push_back(value_of(mig));
      nvmlPciInfo_t pci{};
      ASSERT_EQ(call("nvmlDeviceGetPciInfo_v3", gpu.handle, &pci), NVML_SUCCESS);
      subjects_.keys.emplace_back(pci.busId);
    }
    for (const auto at : subjects_.devices)
      for (const auto* function : {"nvmlDeviceGetUUID", "nvmlDeviceGetSerial"}) {
        char text[96] = {};
        if (call(function, reinterpret_cast<nvmlDevice_t>(at), +text, 96U) == NVML_SUCCESS)
          subjects_.keys.emplace_back(text);
      }
    unsigned int count = 32, list[32];
    ASSERT_EQ(call("nvmlDeviceGetSupportedMemoryClocks", gpus_[0].handle, &count, +list), NVML_SUCCESS);
    subjects_.memory_clocks.assign(list, list + count);
    count = 0;
    ASSERT_EQ(call("nvmlUnitGetCount", &count), NVML_SUCCESS);
    for (unsigned int i = 0; i < count; ++i) {
      nvmlUnit_t unit = nullptr;
      ASSERT_EQ(call("nvmlUnitGetHandleByIndex", i, &unit), NVML_SUCCESS);
      subjects_.units.push_back(value_of(unit));
    }
  }

  void prepare() {
    find_subjects();
    questions_ = std::make_unique<Questions>(library(), subjects_);
    for (unsigned int i = 0; i < kGpuCount; ++i) {
      auto& gpu = gpus_[i];
      const auto name = "GPU " + std::to_string(i);
      fields_.emplace_back(library(), value_of(gpu.handle), name);
      telemetry_.emplace_back(library(), gpu.handle, gpu.instances, name);
      agreements_.emplace_back(library(), gpu.handle, gpu.mig_devices, name);
    }
    for (unsigned int i = 0; i < kGpuCount; ++i)
      for (unsigned int j = 0; j < kInstancesPerGpu; ++j) {
        const auto name = "MIG device " + std::to_string(i) + '.' + std::to_string(j);
        const auto handle = gpus_[i].mig_devices[j];
        fields_.emplace_back(library(), value_of(handle), name);
        telemetry_.emplace_back(library(), handle, std::vector<unsigned int>{}, name);
      }
  }

  void poll(Complaints& complaints) {
    questions_->ask(complaints);
    for (auto& fields : fields_) fields.read(complaints);
    for (auto& telemetry : telemetry_) telemetry.poll(complaints);
    for (std::size_t i = 0; i < gpus_.size(); ++i) agreements_[i].check(fields_[i], complaints);
    compare_metrics(complaints);
  }

  // A GPU worked as much as it had to, and a MIG device as much as the GPU instance that it fills.
  void compare_metrics(Complaints& complaints) const {
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      const auto& metrics = telemetry_[i].metrics();
      if (metrics.empty()) continue;
      const auto worked = metrics[NVML_GPM_METRIC_GRAPHICS_UTIL];
      if (load_ >= 0 && std::abs(worked - load_) > 0.01)
        complaints.push_back("GPU " + std::to_string(i) + " worked " + std::to_string(worked) + " % by GPM, with " +
                             std::to_string(load_) + " % of load");
      for (std::size_t j = 0; j < kInstancesPerGpu; ++j)
        if (telemetry_[kGpuCount + i * kInstancesPerGpu + j].metrics() != telemetry_[i].metrics(1 + j))
          complaints.push_back("GPM tells two things of instance " + std::to_string(j) + " of GPU " +
                               std::to_string(i));
    }
  }

  // Power of the last second, every second, against what the counter of energy says.
  void weigh() {
    for (auto& gpu : gpus_) {
      unsigned int milliwatts = 0;
      unsigned long long millijoules = 0;
      ASSERT_EQ(power_(gpu.handle, &milliwatts), NVML_SUCCESS);
      ASSERT_EQ(energy_(gpu.handle, &millijoules), NVML_SUCCESS);
      if (gpu.began_mj == 0) {
        gpu.began_mj = millijoules;
        continue;
      }
      gpu.integral_mj += milliwatts;
      ASSERT_GE(millijoules, gpu.began_mj);
      const auto used = static_cast<double>(millijoules - gpu.began_mj);
      ASSERT_NEAR(used, gpu.integral_mj, gpu.integral_mj / 1000 + 1);
    }
    weigh_samples();
  }

  // The same of one GPU with its samples of power, which know nothing of energy.
  void weigh_samples() {
    constexpr double kPeriodS = 0.02;
    nvmlValueType_t type{};
    unsigned int count = 120;
    nvmlSample_t samples[120];
    ASSERT_EQ(samples_(gpus_[0].handle, NVML_TOTAL_POWER_SAMPLES, newest_sample_, &type, &count, samples),
              NVML_SUCCESS);
    const bool first = newest_sample_ == 0;
    newest_sample_ = samples[count - 1].timeStamp;
    if (first) return;
    ASSERT_EQ(count, 50U);
    double now_mj = 0;
    for (unsigned int i = 0; i < count; ++i) now_mj += samples[i].sampleValue.uiVal * kPeriodS;
    const auto used = gpus_[0].integral_mj;
    // The machine was described at one instant: at rest its power of now and that of the last second differ, for good.
    if (sampled_mj_ == 0) rest_mj_ = now_mj - used;
    sampled_mj_ += now_mj - rest_mj_;
    ASSERT_NEAR(used, sampled_mj_, used / 1000 + 1e5);
  }

  void change_loads(int at) {
    const auto percent = static_cast<std::uint32_t>(at / 60 * 37 % 101);
    for (std::size_t gpu = 0; gpu < kGpuCount; ++gpu) load(percent, percent / 2, percent / 3, gpu);
    load_ = percent;
  }

  // Every hour something happens to a GPU that does not keep it from answering.
  void trouble(int hour) {
    const auto gpu = "gpu=" + std::to_string(hour % static_cast<int>(kGpuCount));
    inject(gpu + " ecc dram corrected --count 3");
    inject(gpu + " xid 43");
    if (hour % 3 == 0) inject(gpu + " ecc sram uncorrected");
    // Hot for an hour, then short of power for one.
    const auto before = "gpu=" + std::to_string((hour - 1) % static_cast<int>(kGpuCount));
    if (hour > 1) heal(before);
    inject(gpu + (hour % 2 == 0 ? " thermal" : " power-brake"));
    const std::uint64_t bytes = kGib * static_cast<unsigned int>(1 + hour % 4);
    const auto outcome =
        sim::processes::set_memory(*outside_, 0, static_cast<std::uint32_t>(getpid()), bytes, gpus_[0].instances[0], 0);
    EXPECT_EQ(outcome, sim::processes::Outcome::done) << sim::processes::text_of(outcome);
  }

  struct Polled {
    nvmlDevice_t handle = nullptr;
    std::vector<nvmlDevice_t> mig_devices;
    std::vector<unsigned int> instances;
    unsigned long long began_mj = 0;
    double integral_mj = 0;
  };

  std::vector<Polled> gpus_;
  Subjects subjects_;
  std::unique_ptr<Questions> questions_;
  std::vector<Fields> fields_;        // of GPUs, then of MIG devices
  std::vector<Telemetry> telemetry_;  // the same
  std::vector<Agreements> agreements_;
  double load_ = -1;
  unsigned long long newest_sample_ = 0;
  double sampled_mj_ = 0, rest_mj_ = 0;
  Entry<nvmlDevice_t, unsigned int*> power_{library(), "nvmlDeviceGetPowerUsage"};
  Entry<nvmlDevice_t, unsigned long long*> energy_{library(), "nvmlDeviceGetTotalEnergyConsumption"};
  Entry<nvmlDevice_t, nvmlSamplingType_t, unsigned long long, nvmlValueType_t*, unsigned int*, nvmlSample_t*> samples_{
      library(), "nvmlDeviceGetSamples"};
};

TEST_F(Day, OfPollingEightGpusWithSevenInstancesEach) {
  start_day();
  make_instances();
  if (HasFailure()) return;
  prepare();
  if (HasFailure()) return;
  const long long polls = polls_wanted();
  Footprint early;
  int hour = 0, loaded = 0;
  long long polled = 0;
  for (int second = 1; second <= kDay; ++second) {
    pass(1);
    weigh();
    if (HasFatalFailure()) return;
    if (second * polls / kDay == polled) continue;
    ++polled;
    Complaints complaints;
    poll(complaints);
    for (std::size_t i = 0; i < std::min<std::size_t>(complaints.size(), 20); ++i)
      ADD_FAILURE() << "second " << second << ": " << complaints[i];
    if (HasFailure()) return;
    // By noon each GPU has had its trouble.
    if (polled == polls / 2) early = Footprint::now();
    if (second - loaded >= 60) change_loads(loaded = second);
    if (second / kHour != hour) trouble(hour = second / kHour);
  }
  EXPECT_EQ(polled, polls);
  const auto late = Footprint::now();
  EXPECT_LE(late.heap_bytes, early.heap_bytes + 1024);  // malloc counts what it caches for the thread as in use
  // The ring of events has a fixed size and fills.
  EXPECT_LE(late.resident_kib, early.resident_kib + 64 + sizeof(sim::events::Ring) / 1024);
  EXPECT_EQ(late.open_files, early.open_files);
  EXPECT_EQ(late.mappings, early.mappings);
  EXPECT_GT(questions_->functions(), 200U);
  for (const auto& agreements : agreements_) EXPECT_GT(agreements.compared(), 30U);
  for (std::size_t i = 0; i < telemetry_.size(); ++i) EXPECT_TRUE(telemetry_[i].has_gpm()) << i;
  EXPECT_NEAR(sampled_mj_, gpus_[0].integral_mj, gpus_[0].integral_mj / 1000);
  for (auto& telemetry : telemetry_) telemetry.release();
  std::printf("%lld polls of %zu functions: %zu questions, %zu fields; heap %zu then %zu bytes, %zu then %zu KiB\n",
              polled, questions_->functions(), questions_->size(), fields_[0].size(), early.heap_bytes, late.heap_bytes,
              early.resident_kib, late.resident_kib);
}

}  // namespace
}  // namespace nvmlkit::driver_test
