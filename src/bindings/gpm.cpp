#include <algorithm>
#include <cstring>
#include <memory>
#include <nvmlkit/detail/protocols.hpp>
#include <nvmlkit/gpm.hpp>

namespace nvmlkit::nvml {

using detail::call;
using detail::Outcome;

namespace {

// Longer than any text of a metric; a pointer that the driver never set is null.
constexpr std::size_t kLongestText = 256;

std::string text_at(const char* text) { return text ? std::string(text, strnlen(text, kLongestText)) : std::string(); }

// The newest struct, and room for what a still newer driver may believe that it has: the version number, which is 1
// since ever, passes the length of the list to neither side.
struct Request {
  abi::nvmlGpmMetricsGet_t get{};
  abi::nvmlGpmMetric_t room[512]{};
};

GpmMetric metric_of(GpmMetricId id, const abi::nvmlGpmMetric_t& answer) {
  GpmMetric metric{id, answer.value, text_at(answer.metricInfo.shortName), text_at(answer.metricInfo.longName),
                   text_at(answer.metricInfo.unit)};
  if (answer.nvmlReturn != abi::NVML_SUCCESS)
    metric.value = Failure(static_cast<Errc>(answer.nvmlReturn), "nvmlGpmMetricsGet",
                           "metric " + std::to_string(static_cast<unsigned int>(id)));
  return metric;
}

}  // namespace

Result<GpmSample> GpmSample::create_in(const SessionPtr& state) {
  abi::nvmlGpmSample_t sample{};
  const Outcome outcome = call(*state, &Table::GpmSampleAlloc, &sample);
  if (!outcome.ok()) return outcome.failure();
  return GpmSample(state, sample);
}

GpmSample::~GpmSample() {
  // After close() or in a forked child the call is not made: the driver's sample is gone, or the parent's.
  if (sample_) static_cast<void>(call(*session_, &Table::GpmSampleFree, sample_));
}

Result<void> GpmSample::take(const Device& device) {
  const Outcome outcome = call(*session_, &Table::GpmSampleGet, device.held(), sample_);
  if (!outcome.ok()) return outcome.failure();
  return {};
}

Result<void> GpmSample::take_mig(const Device& gpu, unsigned int gpu_instance_id) {
  const Outcome outcome = call(*session_, &Table::GpmMigSampleGet, gpu.held(), gpu_instance_id, sample_);
  if (!outcome.ok()) return outcome.failure();
  return {};
}

Result<std::vector<GpmMetric>> gpm_metrics(const GpmSample& earlier, const GpmSample& later,
                                           std::span<const GpmMetricId> ids) {
  std::vector<GpmMetric> metrics;
  metrics.reserve(ids.size());
  const auto request = std::make_unique<Request>();
  while (metrics.size() < ids.size()) {
    const auto part = ids.subspan(metrics.size());
    const std::size_t count = std::min<std::size_t>(part.size(), detail::kShortestGpmList);
    *request = Request{};
    request->get.version = abi::version_tag<abi::nvmlGpmMetricsGet_t>;
    request->get.numMetrics = static_cast<unsigned int>(count);
    request->get.sample1 = earlier.handle();
    request->get.sample2 = later.handle();
    for (std::size_t i = 0; i < count; ++i) {
      request->get.metrics[i].metricId = to_abi(part[i]);
      // Where the driver skips an entry, its value is no zero.
      request->get.metrics[i].nvmlReturn = abi::NVML_ERROR_UNKNOWN;
    }
    const Outcome outcome = call(*later.session_, &Table::GpmMetricsGet, &request->get);
    if (!outcome.ok()) return outcome.failure();
    for (std::size_t i = 0; i < count; ++i) metrics.push_back(metric_of(part[i], request->get.metrics[i]));
  }
  return metrics;
}

Result<GpmSession> GpmSession::start(const Device& gpu, std::optional<unsigned int> gpu_instance_id) {
  auto earlier = GpmSample::create_in(gpu.session());
  if (!earlier) return earlier.error();
  auto later = GpmSample::create_in(gpu.session());
  if (!later) return later.error();
  GpmSession session(gpu, gpu_instance_id, *std::move(earlier), *std::move(later));
  const auto taken = session.take(session.earlier_);
  if (!taken) return taken.error();
  return session;
}

Result<std::vector<GpmMetric>> GpmSession::read(std::span<const GpmMetricId> ids) {
  if (const auto taken = take(later_); !taken) return taken.error();
  auto metrics = gpm_metrics(earlier_, later_, ids);
  if (metrics) std::swap(earlier_, later_);
  return metrics;
}

}  // namespace nvmlkit::nvml
