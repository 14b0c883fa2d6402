// Samples and GPM metrics of a device, as a monitor takes them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "entry.hpp"
#include "questions.hpp"

namespace nvmlkit::driver_test {

class Telemetry {
 public:
  // `instances`: GPU instances that are sampled through the GPU.
  Telemetry(void* library, abi::nvmlDevice_t device, std::vector<unsigned int> instances, std::string name);
  void release();

  void poll(Complaints& complaints);
  // The metrics since the last poll, empty before the second: of the device itself, then of the instances.
  const std::vector<double>& metrics(std::size_t of = 0) const { return pairs_[of].values; }
  bool has_gpm() const { return pairs_[0].result == abi::NVML_SUCCESS; }

 private:
  struct Kind {
    abi::nvmlReturn_t result;
    unsigned long long last;
    bool asked;
  };
  struct Pair {
    unsigned int instance;  // no_instance: the device itself
    std::array<abi::nvmlGpmSample_t, 2> samples;
    abi::nvmlReturn_t result;
    std::vector<int> results;  // of metrics; empty before there are any
    std::vector<double> values;
    bool taken;
  };
  void poll_samples(unsigned int type, Complaints& complaints);
  void poll_gpm(Pair& pair, Complaints& complaints);

  Entry<abi::nvmlDevice_t, unsigned int, unsigned long long, abi::nvmlValueType_t*, unsigned int*, abi::nvmlSample_t*>
      samples_;
  Entry<abi::nvmlDevice_t, abi::nvmlGpmSample_t> take_;
  Entry<abi::nvmlDevice_t, unsigned int, abi::nvmlGpmSample_t> take_mig_;
  Entry<abi::nvmlGpmMetricsGet_t*> metrics_;
  Entry<abi::nvmlGpmSample_t*> alloc_;
  Entry<abi::nvmlGpmSample_t> free_;
  abi::nvmlDevice_t device_;
  std::string name_;
  std::array<Kind, abi::NVML_SAMPLINGTYPE_COUNT> kinds_{};
  std::vector<Pair> pairs_;
};

}  // namespace nvmlkit::driver_test
