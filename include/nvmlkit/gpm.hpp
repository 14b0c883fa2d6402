// GPM: metrics of a GPU, or of a MIG GPU instance, over the time between two samples.
#pragma once

#include <nvmlkit/device.hpp>
#include <nvmlkit/library.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace nvmlkit::nvml {

// One metric; each may fail while the others answer.
struct GpmMetric {
  GpmMetricId id;
  Result<double> value;    // in `unit`
  std::string short_name;  // the driver's own texts, empty when it has none: "GRAPHICS_UTIL"
  std::string long_name;
  std::string unit;  // "%", "MiB/s", ...
};

// Owns the counters of one moment. Not for use from several threads at once; movable. Needs Hopper or newer.
class GpmSample {
 public:
  // Empty until take(). @c nvmlGpmSampleAlloc
  static Result<GpmSample> create(const Library& library) { return create_in(library.session()); }
  GpmSample(GpmSample&& other) noexcept
      : session_(std::move(other.session_)), sample_(std::exchange(other.sample_, nullptr)) {}
  GpmSample& operator=(GpmSample&& other) noexcept {
    std::swap(session_, other.session_);
    std::swap(sample_, other.sample_);
    return *this;
  }
  GpmSample(const GpmSample&) = delete;
  GpmSample& operator=(const GpmSample&) = delete;
  // @c nvmlGpmSampleFree
  ~GpmSample();

  // Overwrites the sample with the counters of now, of a GPU or a MIG device (MigDevice::as_device()). @c
  // nvmlGpmSampleGet
  Result<void> take(const Device& device);
  // Of one GPU instance of this GPU. @c nvmlGpmMigSampleGet
  Result<void> take_mig(const Device& gpu, unsigned int gpu_instance_id);

  abi::nvmlGpmSample_t handle() const noexcept { return sample_; }

 private:
  static Result<GpmSample> create_in(const SessionPtr& session);
  GpmSample(SessionPtr session, abi::nvmlGpmSample_t sample) noexcept : session_(std::move(session)), sample_(sample) {}
  friend class GpmSession;
  friend Result<std::vector<GpmMetric>> gpm_metrics(const GpmSample&, const GpmSample&, std::span<const GpmMetricId>);

  SessionPtr session_;
  abi::nvmlGpmSample_t sample_ = nullptr;
};

// One entry for each id, in their order, over the time from `earlier` to `later`: both of one GPU, at least 100 ms
// apart. Any number of ids: no driver is asked for more at once than it has room for. @c nvmlGpmMetricsGet
Result<std::vector<GpmMetric>> gpm_metrics(const GpmSample& earlier, const GpmSample& later,
                                           std::span<const GpmMetricId> ids);

// Two samples that take turns: each read() covers the time since the one before it.
class GpmSession {
 public:
  // Takes the first sample. not_supported where the GPU has no GPM.
  static Result<GpmSession> start(const Device& gpu) { return start(gpu, std::nullopt); }
  static Result<GpmSession> start(const Device& gpu, std::optional<unsigned int> gpu_instance_id);

  // Call it at least 100 ms after start() or the last read(). After a failure the next call covers the longer time.
  Result<std::vector<GpmMetric>> read(std::span<const GpmMetricId> ids);

 private:
  GpmSession(Device gpu, std::optional<unsigned int> instance, GpmSample earlier, GpmSample later)
      : gpu_(std::move(gpu)), instance_(instance), earlier_(std::move(earlier)), later_(std::move(later)) {}
  Result<void> take(GpmSample& sample) { return instance_ ? sample.take_mig(gpu_, *instance_) : sample.take(gpu_); }

  Device gpu_;
  std::optional<unsigned int> instance_;
  GpmSample earlier_;
  GpmSample later_;
};

}  // namespace nvmlkit::nvml
