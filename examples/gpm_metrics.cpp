// GPU performance metrics of each GPU over one second, for Hopper and newer; other GPUs are named and passed over.
//   gpm_metrics [MILLISECONDS]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nvmlkit/nvml.hpp>
#include <thread>
#include <utility>

namespace nvml = nvmlkit::nvml;
namespace abi = nvmlkit::abi;

namespace {

// A sample that the driver keeps; freed with its owner.
class Sample {
 public:
  static nvml::Result<Sample> create(const nvml::Library& library) {
    Sample sample(library);
    if (auto made = library.call(&nvml::Table::GpmSampleAlloc, &sample.handle_); !made) return made.error();
    return sample;
  }
  Sample(Sample&& other) noexcept : library_(other.library_), handle_(std::exchange(other.handle_, nullptr)) {}
  Sample& operator=(Sample&&) = delete;
  ~Sample() {
    if (handle_) static_cast<void>(library_.call(&nvml::Table::GpmSampleFree, handle_));
  }
  nvml::Result<void> take(const nvml::Device& device) {
    return library_.call(&nvml::Table::GpmSampleGet, device.handle(), handle_);
  }
  abi::nvmlGpmSample_t handle() const { return handle_; }

 private:
  explicit Sample(const nvml::Library& library) : library_(library) {}
  nvml::Library library_;
  abi::nvmlGpmSample_t handle_ = nullptr;
};

nvml::Result<bool> supported(const nvml::Library& library, const nvml::Device& device) {
  abi::nvmlGpmSupport_t support{};
  support.version = abi::version_tag<abi::nvmlGpmSupport_t>;
  const auto asked = library.call(&nvml::Table::GpmQueryDeviceSupport, device.handle(), &support);
  if (asked) return support.isSupportedDevice != 0;
  const nvml::Errc code = asked.error().code();
  if (code == nvml::Errc::not_supported || code == nvml::Errc::function_not_found) return false;
  return asked.error();
}

struct Wanted {
  unsigned int id;
  const char* name;
};
constexpr Wanted kWanted[] = {{abi::NVML_GPM_METRIC_GRAPHICS_UTIL, "graphics"},
                              {abi::NVML_GPM_METRIC_SM_UTIL, "SM"},
                              {abi::NVML_GPM_METRIC_SM_OCCUPANCY, "SM occupancy"},
                              {abi::NVML_GPM_METRIC_ANY_TENSOR_UTIL, "tensor cores"},
                              {abi::NVML_GPM_METRIC_DRAM_BW_UTIL, "memory bandwidth"}};

nvml::Result<void> measure(const nvml::Library& library, const nvml::Device& device, std::chrono::milliseconds time) {
  auto before = Sample::create(library);
  if (!before) return before.error();
  auto after = Sample::create(library);
  if (!after) return after.error();
  if (auto taken = before->take(device); !taken) return taken;
  std::this_thread::sleep_for(time);
  if (auto taken = after->take(device); !taken) return taken;

  auto query = std::make_unique<abi::nvmlGpmMetricsGet_t>();  // 13 KB
  query->version = abi::version_tag<abi::nvmlGpmMetricsGet_t>;
  query->sample1 = before->handle();
  query->sample2 = after->handle();
  for (const Wanted& wanted : kWanted) query->metrics[query->numMetrics++].metricId = wanted.id;
  if (auto got = library.call(&nvml::Table::GpmMetricsGet, query.get()); !got) return got;
  for (unsigned int i = 0; i < query->numMetrics; ++i) {
    const abi::nvmlGpmMetric_t& metric = query->metrics[i];
    if (metric.nvmlReturn == abi::NVML_SUCCESS)
      std::printf("  %-16s %6.2f %%\n", kWanted[i].name, metric.value);
    else
      std::printf("  %-16s %s\n", kWanted[i].name, name_of(static_cast<nvml::Errc>(metric.nvmlReturn)).c_str());
  }
  return {};
}

int report(const nvml::Failure& failure) {
  std::fprintf(stderr, "%s\n", failure.message().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::chrono::milliseconds time(argc > 1 ? std::atoi(argv[1]) : 1000);
  const auto library = nvml::Library::open();
  if (!library) return report(library.error());
  const auto devices = library->devices();
  if (!devices) return report(devices.error());
  int status = 0;
  for (unsigned int i = 0; i < devices->size(); ++i) {
    const auto device = (*devices)[i];
    const auto can = device.and_then([&](const nvml::Device& d) { return supported(*library, d); });
    if (!can) {
      status = report(can.error());
    } else if (!*can) {
      std::printf("GPU %u: performance metrics are not supported\n", i);
    } else {
      std::printf("GPU %u:\n", i);
      if (const auto measured = measure(*library, *device, time); !measured) status = report(measured.error());
    }
  }
  return status;
}
