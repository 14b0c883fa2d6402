// The metrics of every GPU as Prometheus families, read when they are scraped.
#pragma once

#include <prometheus/collectable.h>

#include <mutex>
#include <nvmlkit/nvml.hpp>
#include <string>
#include <vector>

// One GPU: what its metrics are labelled with.
struct GpuIdentity {
  unsigned int index;
  nvmlkit::nvml::Device device;
  std::string uuid;
  std::string name;
};

class Collector : public prometheus::Collectable {
 public:
  // A GPU that is lost when the exporter starts is left out.
  static nvmlkit::nvml::Result<Collector> create(const nvmlkit::nvml::Library& library);
  Collector(Collector&& other) noexcept;

  // Called by the server, possibly from several threads.
  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  Collector(nvmlkit::nvml::Library library, std::vector<GpuIdentity> gpus, nvmlkit::nvml::Sampler sampler);

  nvmlkit::nvml::Library library_;
  std::vector<GpuIdentity> gpus_;
  mutable nvmlkit::nvml::Sampler sampler_;
  mutable std::mutex mutex_;
};
