// Active vGPUs of a host, and their shares of the GPU.
#include <fmt/format.h>

#include <chrono>

#include "capture/parts.hpp"

namespace nvmlkit::capture {
namespace {

constexpr std::uint64_t kNoGpuInstance = 0xFFFFFFFF;
constexpr std::uint64_t kNoPlacement = 0xFFFF;

// The answers of one vGPU.
class Vgpu {
 public:
  Vgpu(const Object& vgpu, const Record& gpu, const Answers& answers) : vgpu_(vgpu), gpu_(gpu), answers_(answers) {}

  std::string yaml(std::uint64_t host_pid) const {
    FlowMap out;
    out.add("type", in_quotes(type()));
    out.add("id", vgpu_.handle);
    if (host_pid != 0) out.add("host_pid", host_pid);
    text(out, "uuid", "nvmlVgpuInstanceGetUUID", "uuid");
    text(out, "vm_id", "nvmlVgpuInstanceGetVmID", "vmId");
    text(out, "mdev_uuid", "nvmlVgpuInstanceGetMdevUUID", "mdevUuid");
    number(out, "gpu_instance", "nvmlVgpuInstanceGetGpuInstanceId", "gpuInstanceId", kNoGpuInstance);
    number(out, "placement", "nvmlVgpuInstanceGetPlacementId", "pPlacement.placementId", kNoPlacement);
    const auto driver = string("nvmlVgpuInstanceGetVmDriverVersion", "version");
    out.add("guest_driver", in_quotes(driver == "Not Available" ? "" : driver));
    if (driver != "Not Available") text(out, "guest_pci", "nvmlVgpuInstanceGetGpuPciId", "vgpuPciId");
    if (const auto* used = ask("nvmlVgpuInstanceGetFbUsage", "fbUsage"))
      out.add("fb_used_mib", used->get<std::uint64_t>() >> 20);
    license(out);
    number(out, "frame_rate_limit", "nvmlVgpuInstanceGetFrameRateLimit", "frameRateLimit", 0);
    number(out, "encoder_capacity", "nvmlVgpuInstanceGetEncoderCapacity", "encoderCapacity", kNoGpuInstance);
    if (const auto* mode = ask("nvmlVgpuInstanceGetAccountingMode", "mode"))
      out.add("accounting", *mode == 1 ? "enabled" : "disabled");
    stats(out, "encoder_stats", "nvmlVgpuInstanceGetEncoderStats", "",
          {"sessionCount", "averageFps", "averageLatency"});
    stats(out, "fbc_stats", "nvmlVgpuInstanceGetFBCStats", "fbcStats.",
          {"sessionsCount", "averageFPS", "averageLatency"});
    out.add("processes", processes());
    return out.yaml();
  }

 private:
  const Json* ask(const std::string& question, std::string_view output) const {
    const auto* answer = vgpu_.answer(question);
    return succeeded(answer) ? at(answer, output) : nullptr;
  }

  std::string string(const std::string& question, std::string_view output) const {
    const auto* value = ask(question, output);
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
  }

  void text(FlowMap& out, const char* key, const std::string& question, std::string_view output) const {
    if (const auto value = string(question, output); !value.empty()) out.add(key, in_quotes(value));
  }

  void number(FlowMap& out, const char* key, const std::string& question, std::string_view output,
              std::uint64_t none) const {
    const auto* value = ask(question, output);
    if (value != nullptr && *value != none) out.add(key, value->get<std::uint64_t>());
  }

  // NVIDIA A40-8Q, GRID T4-8Q: without the brand.
  std::string type() const {
    const auto* id = ask("nvmlVgpuInstanceGetType", "vgpuTypeId");
    if (id == nullptr) return {};
    for (const auto& object : answers_.objects)
      if (object.subject == Subject::vgpu_type && object.handle == id->get<std::uint64_t>())
        if (const auto* name = at(object.answer("nvmlVgpuTypeGetName"), "vgpuTypeName")) {
          const auto all = name->get<std::string>();
          return all.substr(all.find(' ') + 1);
        }
    return {};
  }

  void license(FlowMap& out) const {
    const std::string question = "nvmlVgpuInstanceGetLicenseInfo_v2";
    if (const auto* state = ask(question, "licenseInfo.currentState"))
      if (const auto word = word_of("vgpu.instances.license", state->get<std::uint64_t>()); !word.empty())
        out.add("license", word);
    const auto* expiry = ask(question, "licenseInfo.licenseExpiry");
    if (expiry == nullptr || (*expiry)["year"] == 0) return;
    using namespace std::chrono;
    const auto part = [&](const char* name) { return (*expiry)[name].get<unsigned int>(); };
    const sys_days day = year(static_cast<int>(part("year"))) / month(part("month")) / std::chrono::day(part("day"));
    const auto time = day + hours(part("hour")) + minutes(part("min")) + seconds(part("sec"));
    out.add("license_expiry", static_cast<std::uint64_t>(duration_cast<seconds>(time.time_since_epoch()).count()));
  }

  void stats(FlowMap& out, const char* key, const std::string& question, const std::string& inside,
             std::initializer_list<const char*> members) const {
    static constexpr const char* kKeys[] = {"session_count", "average_fps", "average_latency_us"};
    FlowMap map;
    std::size_t i = 0;
    for (const char* member : members) {
      const auto* value = ask(question, inside + member);
      if (value == nullptr) return;
      map.add(kKeys[i++], value->get<std::uint64_t>());
    }
    out.add(key, map.yaml());
  }

  // The processes that accounting knows; the host reports the names of running ones.
  std::string processes() const {
    FlowList out;
    const auto* pids = ask("nvmlVgpuInstanceGetAccountingPids", "pids");
    for (std::size_t i = 0; pids != nullptr && i < pids->size(); ++i) {
      const auto question = fmt::format("nvmlVgpuInstanceGetAccountingStats({})", pids->at(i).dump());
      FlowMap process;
      process.add("pid", pids->at(i).get<std::uint64_t>());
      if (const auto name = name_of(pids->at(i)); !name.empty()) process.add("name", in_quotes(name));
      if (const auto* most = ask(question, "stats.maxMemoryUsage"); most != nullptr && *most != 0)
        process.add("used_memory_mib", most->get<std::uint64_t>() >> 20);
      if (const auto* running = ask(question, "stats.isRunning"); running != nullptr && *running == 0) {
        process.add("ended", "true");
        if (const auto* time = ask(question, "stats.time")) process.add("time_ms", time->get<std::uint64_t>());
      }
      out.add(process.yaml());
    }
    return out.yaml();
  }

  std::string name_of(const Json& pid) const {
    const auto* samples = gpu_.ask("nvmlDeviceGetVgpuProcessUtilization", "utilizationSamples");
    for (std::size_t i = 0; samples != nullptr && i < samples->size(); ++i)
      if (const auto& sample = samples->at(i); sample["pid"] == pid && sample["vgpuInstance"] == vgpu_.handle)
        return sample["processName"].get<std::string>();
    return {};
  }

  const Object& vgpu_;
  const Record& gpu_;
  const Answers& answers_;
};

// Bytes of a union: numbers of 32 bits, one after the other.
std::uint64_t word(const std::string& hexadecimal, std::size_t index) {
  std::uint64_t out = 0;
  for (std::size_t byte = 0; byte < 4 && (index * 4 + byte) * 2 + 1 < hexadecimal.size(); ++byte)
    out |= std::stoull(hexadecimal.substr((index * 4 + byte) * 2, 2), nullptr, 16) << (8 * byte);
  return out;
}

void record_scheduler(Record& gpu) {
  const std::string question = "nvmlDeviceGetVgpuSchedulerState";
  if (gpu.ask(question, "pSchedulerState") == nullptr) return;
  const auto policy = word_of("vgpu.scheduler.policy", gpu.number(question, "pSchedulerState.schedulerPolicy"));
  if (!policy.empty()) gpu.set("vgpu.scheduler.policy", policy, {question});
  const auto parameters = gpu.text(question, "pSchedulerState.schedulerParams");
  const bool adaptive = gpu.number(question, "pSchedulerState.arrMode") == 2;  // NVML_VGPU_SCHEDULER_ARR_ENABLE
  gpu.set("vgpu.scheduler.adaptive_round_robin", adaptive ? "enabled" : "disabled", {question});
  const auto slice = word(parameters, adaptive ? 1 : 0);
  if (!adaptive) return gpu.set("vgpu.scheduler.timeslice_ns", std::to_string(slice), {question});
  gpu.set("vgpu.scheduler.averaging_factor", std::to_string(word(parameters, 0)), {question});
  if (slice > 0) gpu.set("vgpu.scheduler.frequency", std::to_string(1'000'000'000 / slice), {question});
}

}  // namespace

void record_vgpus(Record& gpu, const Answers& answers) {
  record_scheduler(gpu);
  FlowList list;
  const auto pids = vgpu_pids(gpu, answers);
  std::size_t index = 0;
  for (const auto* vgpu : answers.children(gpu.object(), Subject::vgpu)) {
    list.add(Vgpu(*vgpu, gpu, answers).yaml(index < pids.size() ? pids[index] : 0));
    ++index;
  }
  if (!list.empty()) gpu.set("vgpu.instances", list, {});
}

}  // namespace nvmlkit::capture
