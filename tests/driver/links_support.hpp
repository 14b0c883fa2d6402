// The fixture of the tests of NVLink and topology: queries of links, and control of time.
#pragma once

#include "faults_support.hpp"
#include "sim/state/clock.hpp"
#include "sim/state/lock.hpp"
#include "sim/telemetry/change.hpp"
#include "sim/transaction/edit.hpp"

namespace nvmlkit::driver_test {

class Links : public Shared {
 protected:
  nvmlFieldValue_t field(unsigned int id, unsigned int scope = 0, unsigned int gpu = 0) {
    nvmlFieldValue_t value{};
    value.fieldId = id;
    value.scopeId = scope;
    EXPECT_EQ(call("nvmlDeviceGetFieldValues", device(gpu), 1, &value), NVML_SUCCESS);
    return value;
  }

  bool is_active(unsigned int link, unsigned int gpu = 0) {
    nvmlEnableState_t state{};
    EXPECT_EQ(call("nvmlDeviceGetNvLinkState", device(gpu), link, &state), NVML_SUCCESS);
    return state == NVML_FEATURE_ENABLED;
  }

  unsigned long long errors(unsigned int link, nvmlNvLinkErrorCounter_t counter, unsigned int gpu = 0) {
    unsigned long long value = 0;
    EXPECT_EQ(call("nvmlDeviceGetNvLinkErrorCounter", device(gpu), link, counter, &value), NVML_SUCCESS);
    return value;
  }

  std::string remote(unsigned int link, unsigned int gpu = 0) {
    nvmlPciInfo_t pci{};
    EXPECT_EQ(call("nvmlDeviceGetNvLinkRemotePciInfo_v2", device(gpu), link, &pci), NVML_SUCCESS);
    return pci.busId;
  }

  nvmlGpuP2PStatus_t p2p(unsigned int a, unsigned int b, nvmlGpuP2PCapsIndex_t index) {
    nvmlGpuP2PStatus_t status{};
    EXPECT_EQ(call("nvmlDeviceGetP2PStatus", device(a), device(b), index, &status), NVML_SUCCESS);
    return status;
  }

  nvmlGpuTopologyLevel_t level(unsigned int a, unsigned int b) {
    nvmlGpuTopologyLevel_t out{};
    EXPECT_EQ(call("nvmlDeviceGetTopologyCommonAncestor", device(a), device(b), &out), NVML_SUCCESS);
    return out;
  }

  // From now on time passes when the test says so.
  void stop_time() { set_clock(outside_->host().clock.paced(sim::real_time_ns(), 0)); }
  void advance(int seconds) {
    set_clock(outside_->host().clock.advanced(sim::real_time_ns(), seconds * std::int64_t{1'000'000'000}));
  }

  void load(std::uint32_t percent) {
    const sim::state::Lock lock(*outside_);
    sim::transaction::Edit edit(lock, 0);
    sim::model::Workload workload{};
    workload.gpu = percent;
    sim::telemetry::load(*edit, workload, sim::now_ns(*outside_), 0);
    edit.commit();
  }

 private:
  void set_clock(const sim::Clock& clock) {
    const sim::state::Lock lock(*outside_);
    ASSERT_TRUE(lock.replace(outside_->host().clock, clock));
  }
};

}  // namespace nvmlkit::driver_test
