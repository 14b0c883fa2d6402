#include "driver/cuda/mps/mps.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

#include "mps/wire/wire.hpp"
#include "sim/native/processes.hpp"

namespace nvmlkit::cuda::mps {
namespace {

namespace wire = nvmlkit::mps;

constexpr std::uint64_t kNoLimit = UINT64_MAX;

// Written once, at cuInit. Never destroyed: threads of the program may call until its very end.
struct Membership {
  bool is_server = false;
  std::atomic<int> connection{-1};  // of a client, until the end of the process
  double percent = 100;
  std::atomic<bool> terminated{false};
  wire::Shares* shares = nullptr;     // null: the daemon divides no GPU
  wire::Limits* of_server = nullptr;  // by the GPUs of the machine
  wire::Limits* own = nullptr;        // by the GPUs of this process
};
constinit Membership membership;

std::string_view variable(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr ? text : std::string_view();
}

std::string uuid_of(const Device& device) {
  if (device.mig())
    return std::string(
        device.read([&](const sim::model::Gpu& gpu) { return sim::mig::uuid_of(gpu, *device.mig()); }).view());
  return std::string(device.read([](const sim::model::Gpu& gpu) { return gpu.uuid.value; }).view());
}

// Is it the GPU with this index, or one whose UUID begins so?
bool names(std::string_view text, std::size_t index, const std::string& uuid) {
  std::size_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc() && end == text.data() + text.size()) return number == index;
  return (text.starts_with("GPU-") || text.starts_with("MIG-")) && uuid.starts_with(text);
}

std::uint64_t lowest(const wire::Limits* limits, std::size_t index, const std::string& uuid) {
  auto least = kNoLimit;
  if (limits == nullptr) return least;
  for (const auto& limit : *limits)
    if (names(limit.device, index, uuid)) least = std::min(least, limit.bytes);
  return least;
}

// The variables of a client only tighten what its server grants.
void take_grant(wire::Grant grant) {
  membership.percent = grant.percent;
  if (const auto own = wire::percent_of(variable(wire::kPercentVariable)))
    membership.percent = std::min(membership.percent, *own);
  if (!grant.shares.empty()) {
    membership.shares = new wire::Shares(std::move(grant.shares));
    membership.percent = 100;  // partitions take the place of percentages
  }
  membership.of_server = new wire::Limits(std::move(grant.limits));
  if (auto own = wire::limits_of(variable(wire::kLimitVariable))) membership.own = new wire::Limits(std::move(*own));
}

}  // namespace

CUresult join(const std::vector<std::unique_ptr<Device>>& devices) try {
  membership.is_server = !variable(wire::kServerVariable).empty();
  if (membership.is_server || is_client()) return CUDA_SUCCESS;
  const int connection = wire::connect_to(wire::pipe_directory());
  if (connection < 0) return CUDA_SUCCESS;
  wire::Hello hello;
  for (const auto& device : devices) {
    if (!hello.devices.empty()) hello.devices += ',';
    hello.devices += uuid_of(*device);
  }
  hello.partitions = variable(wire::kPartitionVariable);
  if (hello.partitions.find('\n') != std::string::npos) hello.partitions.clear();
  const auto answer = wire::send_line(connection, wire::line_of(hello)) ? wire::receive_line(connection) : std::nullopt;
  auto grant = answer ? wire::grant_of(*answer) : std::nullopt;
  if (!grant) {
    close(connection);
    return answer == wire::kNoPartitionLine ? CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION
                                            : CUDA_ERROR_MPS_CONNECTION_FAILED;
  }
  take_grant(std::move(*grant));
  membership.connection = connection;
  return CUDA_SUCCESS;
} catch (...) {
  return CUDA_ERROR_OUT_OF_MEMORY;
}

void leave_in_child() {
  if (const int connection = membership.connection.exchange(-1); connection >= 0) close(connection);
}

bool is_client() { return membership.connection.load(std::memory_order_relaxed) >= 0; }

bool is_terminated() {
  const int connection = membership.connection.load(std::memory_order_relaxed);
  if (connection < 0 || membership.terminated.load(std::memory_order_relaxed))
    return membership.terminated.load(std::memory_order_relaxed);
  char text[16];
  const auto got = recv(connection, text, sizeof text, MSG_DONTWAIT);
  if (got > 0 && wire::kTerminatedLine.starts_with(text[0])) membership.terminated = true;
  return membership.terminated.load(std::memory_order_relaxed);
}

bool is_server() { return membership.is_server; }

std::uint32_t kinds() {
  using namespace sim::processes;
  return compute | (is_server() ? mps_server : 0U) | (is_client() ? sim::processes::mps : 0U);
}

// Multiprocessors are given out in pairs, which share a part of the GPU.
long long multiprocessors(long long all, const sim::model::Gpu& gpu, const std::optional<sim::mig::DeviceId>& mig) {
  if (!is_client()) return all;
  if (membership.shares != nullptr) {
    const auto uuid = mig ? sim::mig::uuid_of(gpu, *mig) : sim::model::Text<48>(gpu.uuid.value.view());
    for (const auto& share : *membership.shares)
      if (share.device == uuid.view()) return std::min<long long>(all, share.multiprocessors);
    return all;
  }
  if (membership.percent >= 100) return all;
  const auto pairs = static_cast<long long>(std::ceil(static_cast<double>(all) * membership.percent / 200));
  return std::clamp(2 * pairs, std::min(2LL, all), all);
}

std::uint64_t memory_limit(const Device& device) {
  if (!is_client() || (membership.of_server->empty() && membership.own == nullptr)) return kNoLimit;
  const auto uuid = uuid_of(device);
  return std::min(lowest(membership.of_server, device.machine().index_of(device.gpu()), uuid),
                  lowest(membership.own, static_cast<std::size_t>(device.ordinal()), uuid));
}

}  // namespace nvmlkit::cuda::mps
