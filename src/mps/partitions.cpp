#include "mps/partitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <sstream>

namespace nvmlkit::mps {
namespace {

// 27 bytes: a bit for each chunk.
constexpr int kMostChunks = 216;

// As long as an id of NVIDIA's daemon, and different for partitions that exist together.
std::string id_of(const std::vector<int>& chunks) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<std::uint8_t, kMostChunks / 8> bytes{};
  for (const int chunk : chunks)
    bytes[static_cast<std::size_t>(chunk / 8)] |= static_cast<std::uint8_t>(1 << chunk % 8);
  std::string id;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const unsigned three = bytes[i] << 16U | bytes[i + 1] << 8U | bytes[i + 2];
    for (const unsigned shift : {18U, 12U, 6U, 0U}) id += kDigits[three >> shift & 63U];
  }
  return id;
}

// The GPU whose UUID begins so, if it is the only one.
const GpuFacts* gpu_at(const GpuList& known, std::string_view uuid) {
  const GpuFacts* found = nullptr;
  for (const auto& gpu : known.gpus) {
    if (uuid.empty() || !gpu.uuid.starts_with(uuid)) continue;
    if (found != nullptr) return nullptr;
    found = &gpu;
  }
  return found;
}

std::string no_device(std::string_view uuid) { return fmt::format("Failed: no device, or several, at {}\n", uuid); }

// The beginning of the UUID that no other GPU has; at least the first eight digits.
std::string_view short_uuid(const GpuList& known, const GpuFacts& gpu) {
  std::size_t length = std::string_view("GPU-12345678").size();
  while (length < gpu.uuid.size() && gpu_at(known, std::string_view(gpu.uuid).substr(0, length)) == nullptr) ++length;
  return std::string_view(gpu.uuid).substr(0, length);
}

int chunks_of(const GpuFacts& gpu) {
  return gpu.chunk() == 0 ? 0 : std::min(gpu.multiprocessors / gpu.chunk(), kMostChunks);
}

template <class Call>
void each_part(std::string_view text, Call call) {
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    call(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool is_in(const std::vector<std::string>& names, const std::string& uuid, const std::string& id) {
  return std::find(names.begin(), names.end(), uuid + "/" + id) != names.end();
}

}  // namespace

int GpuFacts::chunk() const {
  if (major < 8) return 0;
  if (integrated) return 2;
  return major < 9 ? 4 : 8;
}

std::optional<GpuList> gpus_of(const std::string& text) {
  std::istringstream words(text);
  std::string first;
  GpuList list;
  if (!(words >> first >> list.cuda) || first != "cuda") return {};
  GpuFacts gpu;
  while (words >> gpu.uuid >> gpu.multiprocessors >> gpu.major >> gpu.minor >> gpu.integrated) list.gpus.push_back(gpu);
  return list;
}

std::string Partitions::add(const GpuList& known, std::string_view uuid, std::string_view chunks) {
  const auto* gpu = gpu_at(known, uuid);
  if (gpu == nullptr) return no_device(uuid);
  int wanted = 0;
  const auto [end, problem] = std::from_chars(chunks.data(), chunks.data() + chunks.size(), wanted);
  if (problem != std::errc() || end != chunks.data() + chunks.size() || wanted < 1)
    return fmt::format("Failed: {} is no number of chunks\n", chunks);
  auto& parts = parts_[gpu->uuid];
  std::vector<int> free;
  for (int chunk = 0; chunk < chunks_of(*gpu); ++chunk) {
    const auto has = [&](const Part& part) {
      return std::find(part.chunks.begin(), part.chunks.end(), chunk) != part.chunks.end();
    };
    if (std::none_of(parts.begin(), parts.end(), has)) free.push_back(chunk);
  }
  if (wanted > static_cast<int>(free.size()))
    return fmt::format(
        "Failed to fulfill the requested SM partition of {} chunks, error CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION\n",
        wanted);
  free.resize(static_cast<std::size_t>(wanted));
  parts.push_back({id_of(free), free});
  return fmt::format("Partition {}/{} created\n", gpu->uuid, parts.back().id);
}

std::string Partitions::remove(const GpuList& known, std::string_view uuid, std::string_view id,
                               const std::vector<std::string>& in_use) {
  const auto* gpu = gpu_at(known, uuid);
  if (gpu == nullptr) return no_device(uuid);
  const auto* part = find(gpu->uuid, id);
  if (part == nullptr) return fmt::format("Failed: no partition {} on {}\n", id, gpu->uuid);
  const auto name = gpu->uuid + "/" + part->id;
  if (is_in(in_use, gpu->uuid, part->id)) return fmt::format("Failed: a client uses partition {}\n", name);
  auto& parts = parts_[gpu->uuid];
  parts.erase(parts.begin() + (part - parts.data()));
  return fmt::format("Partition {} removed\n", name);
}

std::string Partitions::table(const GpuList& known, const std::vector<std::string>& in_use) const {
  constexpr auto kRow = "{:<20} {:<37} {:<7} {:<7} {:<5} {:<5} {}\n";
  const auto row = [&](auto... cells) { return fmt::format(fmt::runtime(kRow), cells...); };
  auto out = row("GPU", "Partition", "free", "used", "free", "used", "clients");
  out += row("", "", "chunks", "chunks", "SM", "SM", "");
  for (const auto& gpu : known.gpus) {
    const auto at = parts_.find(gpu.uuid);
    int used = 0;
    std::string rows;
    const auto name = short_uuid(known, gpu);
    for (const auto& part : at == parts_.end() ? std::vector<Part>{} : at->second) {
      const auto chunks = static_cast<int>(part.chunks.size());
      used += chunks;
      rows += row(name, part.id, "", chunks, "", chunks * gpu.chunk(), is_in(in_use, gpu.uuid, part.id) ? "Yes" : "No");
    }
    const auto free = chunks_of(gpu) - used;
    out += row(name, "", free, used, free * gpu.chunk(), used * gpu.chunk(), "") + rows;
  }
  return out;
}

std::optional<Shares> Partitions::shares(const GpuList& known, std::string_view named, std::string_view devices) const {
  Shares out;
  bool good = true;
  each_part(named, [&](std::string_view one) {
    const auto slash = std::min(one.find('/'), one.size());
    const auto* gpu = gpu_at(known, one.substr(0, slash));
    const auto* part = gpu == nullptr ? nullptr : find(gpu->uuid, one.substr(std::min(slash + 1, one.size())));
    if (part == nullptr)
      good = false;
    else
      out.push_back({gpu->uuid, part->id, static_cast<int>(part->chunks.size()) * gpu->chunk()});
  });
  each_part(devices, [&](std::string_view device) {
    const auto has = [&](const Share& share) { return share.device == device; };
    if (std::none_of(out.begin(), out.end(), has)) good = false;
  });
  return good ? std::optional(out) : std::nullopt;
}

const Partitions::Part* Partitions::find(const std::string& uuid, std::string_view id) const {
  const auto at = parts_.find(uuid);
  if (at == parts_.end() || id.empty()) return nullptr;
  const Part* found = nullptr;
  for (const auto& part : at->second) {
    if (!part.id.starts_with(id)) continue;
    if (found != nullptr) return nullptr;
    found = &part;
  }
  return found;
}

}  // namespace nvmlkit::mps
