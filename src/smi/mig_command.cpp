// mig -lgip, -lgi, -lci, -lcip: profiles and instances.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nvmlkit/objects.hpp>

#include "smi/commands.hpp"
#include "smi/log/values.hpp"

namespace nvmlkit::smi {
namespace {

constexpr int kNone = 6, kUnknownMigCommand = 255;
constexpr Version kWideNames{580, 0};  // names have two columns more
constexpr Version kAnyMode{550, 0};    // GPUs whose MIG mode is off are listed, too

using nvml::GpuInstanceProfile;

// Version 3 of the struct has no name with NVIDIA's driver 580.
void complete_name(const Gpu& gpu, unsigned number, nvml::GpuInstanceProfileInfo& info) {
  if (info.name && !info.name->empty()) return;
  abi::nvmlGpuInstanceProfileInfo_v2_t older{};
  older.version = abi::version_tag<abi::nvmlGpuInstanceProfileInfo_v2_t>;
  const auto answer =
      gpu.host().library.call(&nvml::Table::DeviceGetGpuInstanceProfileInfoV, gpu.device().handle(), number, &older);
  if (answer) info.name = std::string(older.name, strnlen(older.name, sizeof older.name));
}

// In the order of nvidia-smi: by size; the variants of one size by age.
std::vector<nvml::GpuInstanceProfileInfo> instance_profiles(const Gpu& gpu) {
  constexpr unsigned kOldest = 10, kAll = 32;
  constexpr unsigned kNoMedia[] = {13, 14};
  struct Known {
    nvml::GpuInstanceProfileInfo info;
    unsigned rank;
  };
  std::vector<Known> found;
  for (unsigned number = 0; number < (gpu.version().branch < 570 ? kOldest : kAll); ++number) {
    auto info = gpu->gpu_instance_profile_info(static_cast<GpuInstanceProfile>(number));
    if (info) complete_name(gpu, number, *info);
    const bool last = std::find(std::begin(kNoMedia), std::end(kNoMedia), number) != std::end(kNoMedia);
    if (info) found.push_back({*info, last ? kAll : number});
  }
  std::stable_sort(found.begin(), found.end(), [](const Known& a, const Known& b) {
    return std::pair(a.info.slice_count, a.rank) < std::pair(b.info.slice_count, b.rank);
  });
  std::vector<nvml::GpuInstanceProfileInfo> profiles;
  for (auto& known : found) profiles.push_back(std::move(known.info));
  return profiles;
}

std::string profile_name(const std::optional<std::string>& name) { return name ? *name : "N/A"; }

// A box with a title, headings and rows of one or more lines.
class Box {
 public:
  Box(int width, const char* title, const std::vector<std::string>& headings) : width_(width) {
    rule('+', '-');
    line(fmt::format(" {}", title));
    for (const auto& heading : headings) line(heading);
    rule('|', '=');
  }

  void line(const std::string& text) { text_ += fmt::format("|{:<{}}|\n", text, width_); }
  void end_row() { rule('+', '-'); }
  const std::string& text() const { return text_; }

 private:
  void rule(char end, char line) {
    text_ += fmt::format("{0}{1}{0}\n", end, std::string(static_cast<std::size_t>(width_), line));
  }

  int width_;
  std::string text_;
};

std::vector<const Gpu*> capable(const Selection& selection, bool must_be_on) {
  std::vector<const Gpu*> gpus;
  for (const auto& gpu : selection.gpus)
    if (gpu.mig_mode() && (!must_be_on || gpu.mig())) gpus.push_back(&gpu);
  return gpus;
}

Output list_profiles(const Selection& selection, Version version) {
  const bool all = version >= kAnyMode;
  const auto gpus = capable(selection, !all);
  if (gpus.empty()) return {all ? "No MIG-supported devices found.\n" : "No MIG-enabled devices found.\n", kNone};
  const int more = version < kWideNames ? 0 : 2;
  const std::string gap(static_cast<std::size_t>(more), ' ');
  Box box(77 + more, "GPU instance profiles:",
          {" GPU   Name             " + gap + "ID    Instances   Memory     P2P    SM    DEC   ENC",
           "                        " + gap + "      Free/Total   GiB              CE    JPEG  OFA"});
  for (const auto* gpu : gpus)
    for (const auto& profile : instance_profiles(*gpu)) {
      const auto free = (*gpu)->gpu_instance_remaining_capacity(profile.id);
      box.line(fmt::format("{:>4}  {:<{}}{:>2}     {:<11}{:<11.2f}{:<7}{:<7}{:<6}{:<4}", gpu->index(),
                           profile_name(profile.name), 18 + more, profile.id,
                           fmt::format("{}/{}", free.value_or(0), profile.instance_count),
                           static_cast<double>(profile.memory_size.count()) / 1024,
                           profile.is_p2p_supported.value_or(false) ? "Yes" : "No", profile.multiprocessor_count,
                           profile.decoder_count, profile.encoder_count));
      box.line(fmt::format("{:{}}{:<6}{:<6}{:<4}", "", 61 + more, profile.copy_engine_count, profile.jpeg_count,
                           profile.ofa_count));
      box.end_row();
    }
  return {box.text()};
}

// Calls `visit` with each GPU instance and its profile, in the order of the list of profiles.
template <class Visit>
bool for_each_instance(const std::vector<const Gpu*>& gpus, Visit visit) {
  bool any = false;
  for (const auto* gpu : gpus)
    for (const auto& profile : instance_profiles(*gpu)) {
      const auto instances = (*gpu)->gpu_instances(profile.id);
      if (!instances) continue;
      for (const auto& instance : *instances)
        if (const auto info = instance.info()) {
          any = true;
          visit(*gpu, profile, instance, *info);
        }
    }
  return any;
}

Output no_instances() { return {"No GPU instances found: Not Found\n", kNone}; }

Output list_instances(const std::vector<const Gpu*>& gpus, Version version) {
  const int more = version < kWideNames ? 0 : 2;
  const std::string gap(static_cast<std::size_t>(more), ' ');
  Box box(55 + more, "GPU instances:",
          {" GPU   Name             " + gap + "Profile  Instance   Placement",
           "                        " + gap + "  ID       ID       Start:Size"});
  const bool any = for_each_instance(gpus, [&](const Gpu& gpu, const auto& profile, const auto&, const auto& info) {
    box.line(fmt::format("{:>4}  {:<{}}{:>4}{:>9}{:>11}:{:<6}", gpu.index(), profile_name(profile.name), 18 + more,
                         profile.id, info.id, info.placement.start, info.placement.size));
    box.end_row();
  });
  return any ? Output{box.text()} : no_instances();
}

struct ComputeProfile {
  nvml::ComputeInstanceProfileInfo info;
  bool whole;  // takes the whole GPU instance
};

// By size, the variants of one size by age.
std::vector<ComputeProfile> compute_profiles(const nvml::GpuInstance& instance, unsigned slices) {
  constexpr unsigned kAll = 16;
  std::vector<ComputeProfile> found;
  for (unsigned number = 0; number < kAll; ++number) {
    const auto info = instance.compute_instance_profile_info(static_cast<nvml::ComputeInstanceProfile>(number),
                                                             nvml::ComputeInstanceEngineProfile::shared);
    if (info) found.push_back({*info, info->slice_count == slices});
  }
  std::stable_sort(found.begin(), found.end(), [](const ComputeProfile& a, const ComputeProfile& b) {
    return a.info.slice_count < b.info.slice_count;
  });
  return found;
}

Output list_compute_instances(const std::vector<const Gpu*>& gpus) {
  Box box(68, "Compute instances:",
          {" GPU     GPU       Name             Profile   Instance   Placement",
           "       Instance                       ID        ID       Start:Size", "         ID"});
  const bool any = for_each_instance(
      gpus, [&](const Gpu& gpu, const auto& profile, const nvml::GpuInstance& instance, const auto& info) {
        for (const auto& [compute, whole] : compute_profiles(instance, profile.slice_count)) {
          const auto computes = instance.compute_instances(compute.id);
          if (!computes) continue;
          for (const auto& each : *computes) {
            const auto own = each.info();
            if (!own) continue;
            const auto placement = own->placement.value_or(nvml::ComputeInstancePlacement{});
            box.line(fmt::format("{:>4}{:>7}       {:<18}{:>4}{:>10}{:>11}:{:<6}", gpu.index(), info.id,
                                 profile_name(compute.name), compute.id, own->id, placement.start, placement.size));
            box.end_row();
          }
        }
      });
  return any ? Output{box.text()} : no_instances();
}

Output list_compute_profiles(const std::vector<const Gpu*>& gpus) {
  Box box(86, "Compute instance profiles:",
          {" GPU     GPU       Name             Profile  Instances   Exclusive       Shared",
           "       Instance                       ID     Free/Total     SM       DEC   ENC   OFA",
           "         ID                                                          CE    JPEG"});
  const bool any = for_each_instance(gpus, [&](const Gpu& gpu, const auto& profile, const nvml::GpuInstance& instance,
                                               const auto& info) {
    for (const auto& [compute, whole] : compute_profiles(instance, profile.slice_count)) {
      const auto free = instance.compute_instance_remaining_capacity(compute.id);
      box.line(fmt::format("{:>4}{:>7}       {:<18}{:>4}{}     {:<14}{:<10}{:<6}{:<6}{:<4}", gpu.index(), info.id,
                           profile_name(compute.name), compute.id, whole ? '*' : ' ',
                           fmt::format("{}/{}", free.value_or(0), compute.instance_count), compute.multiprocessor_count,
                           compute.shared_decoder_count, compute.shared_encoder_count, compute.shared_ofa_count));
      box.line(fmt::format("{:70}{:<6}{:<10}", "", compute.shared_copy_engine_count, compute.shared_jpeg_count));
      box.end_row();
    }
  });
  return any ? Output{box.text()} : no_instances();
}

}  // namespace

Output mig(const Host& host, const Selection& selection, const Options& options) {
  const auto& words = options.words;
  const auto word = words.empty() ? std::string() : words.back();
  if (word == "-lgip" || word == "--list-gpu-instance-profiles") return list_profiles(selection, host.version);
  const auto gpus = capable(selection, true);
  if (gpus.empty() && host.version >= kAnyMode && capable(selection, false).empty())
    return {"No MIG-supported devices found.\n", kNone};
  if (gpus.empty()) return {"No MIG-enabled devices found.\n", host.version < kAnyMode ? kNone : 0};
  if (word == "-lgi" || word == "--list-gpu-instances") return list_instances(gpus, host.version);
  if (word == "-lci" || word == "--list-compute-instances") return list_compute_instances(gpus);
  if (word == "-lcip" || word == "--list-compute-instance-profiles") return list_compute_profiles(gpus);
  return {"nvmlkit smi knows of mig: -lgip, -lgi, -lci, -lcip\n", kUnknownMigCommand};
}

}  // namespace nvmlkit::smi
