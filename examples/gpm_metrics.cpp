// GPU performance metrics of each GPU over one second, for Hopper and newer; other GPUs are named and passed over.
//   gpm_metrics [MILLISECONDS]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <nvmlkit/nvml.hpp>
#include <thread>

namespace nvml = nvmlkit::nvml;

namespace {

constexpr nvml::GpmMetricId kWanted[] = {nvml::GpmMetricId::graphics_util, nvml::GpmMetricId::sm_util,
                                         nvml::GpmMetricId::sm_occupancy, nvml::GpmMetricId::any_tensor_util,
                                         nvml::GpmMetricId::dram_bw_util};
constexpr const char* kNames[] = {"graphics", "SM", "SM occupancy", "tensor cores", "memory bandwidth"};
static_assert(std::size(kWanted) == std::size(kNames));

nvml::Result<void> measure(const nvml::Device& device, std::chrono::milliseconds time) {
  auto session = nvml::GpmSession::start(device);
  if (!session) return session.error();
  std::this_thread::sleep_for(time);
  const auto metrics = session->read(kWanted);
  if (!metrics) return metrics.error();
  for (std::size_t i = 0; i < metrics->size(); ++i) {
    const auto& [id, value, short_name, long_name, unit] = (*metrics)[i];
    if (value)
      std::printf("  %-16s %6.2f %s\n", kNames[i], *value, unit.c_str());
    else  // one metric may fail while the others answer
      std::printf("  %-16s %s\n", kNames[i], name_of(value.error().code()).c_str());
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
    const auto has_gpm =
        optional_if_unsupported(device.and_then([](const nvml::Device& d) { return d.gpm_query_device_support(); }));
    if (!has_gpm) {
      status = report(has_gpm.error());
    } else if (!*has_gpm || !(*has_gpm)->is_supported_device) {
      std::printf("GPU %u: performance metrics are not supported\n", i);
    } else {
      std::printf("GPU %u:\n", i);
      if (const auto measured = measure(*device, time); !measured) status = report(measured.error());
    }
  }
  return status;
}
