// The driver library on a machine whose time moves, and whose GPUs work, when the test says so.
#pragma once

#include "faults_support.hpp"
#include "sim/state/clock.hpp"
#include "sim/state/lock.hpp"
#include "sim/telemetry/change.hpp"
#include "sim/transaction/edit.hpp"

namespace nvmlkit::driver_test {

class Steered : public Shared {
 protected:
  // With the newest driver, which knows most.
  void begin(const std::string& machine, const std::string& gpus = "2", std::string_view driver = "615.71.09") {
    start_shared(machine, gpus);
    {
      const sim::state::Lock lock(*outside_);
      const auto& clock = outside_->host().clock;
      ASSERT_TRUE(lock.replace(clock, clock.paced(sim::real_time_ns(), 0)));
      auto version = outside_->system().driver_version;
      version = driver;
      ASSERT_TRUE(lock.replace(outside_->system().driver_version, version));
    }
    start_library();
  }

  void pass(double seconds) {
    const sim::state::Lock lock(*outside_);
    const auto& clock = outside_->host().clock;
    ASSERT_TRUE(lock.replace(clock, clock.advanced(sim::real_time_ns(), static_cast<std::int64_t>(seconds * 1e9))));
  }

  template <class Change>
  void change(Change change, std::size_t gpu = 0) {
    const sim::state::Lock lock(*outside_);
    sim::transaction::Edit edit(lock, gpu);
    ASSERT_TRUE(edit);
    change(*edit);
    edit.commit();
  }

  void load(std::uint32_t percent, std::uint32_t memory = 0, std::uint32_t decoder = 0, std::size_t gpu = 0) {
    sim::model::Workload workload;
    workload.gpu = percent;
    workload.memory = memory;
    workload.decoder = decoder;
    change([&](auto& edited) { sim::telemetry::load(edited, workload, sim::now_ns(*outside_), 0); }, gpu);
  }
};

}  // namespace nvmlkit::driver_test
