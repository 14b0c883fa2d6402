#include "registry/vgpu_types.hpp"

#include <yaml-cpp/yaml.h>

#include <set>

#include "registry/error.hpp"

namespace nvmlgen {
namespace {

class VgpuTypeReader {
 public:
  explicit VgpuTypeReader(std::string file) : file_(std::move(file)) {}

  VgpuTypes read() {
    VgpuTypes out;
    const auto root = YAML::LoadFile(file_);
    only(root, {"series", "boards"});
    for (const auto& item : root["series"]) out.series[item.first.as<std::string>()] = series(item.second);
    for (const auto& item : root["boards"]) out.boards.push_back(board(item.first, item.second, out.series));
    return out;
  }

 private:
  [[noreturn]] void fail(const YAML::Node& at, const std::string& message) const {
    throw RegistryError(file_ + ":" + std::to_string(at.Mark().line + 1), message);
  }

  void only(const YAML::Node& map, const std::set<std::string>& known) const {
    for (const auto& item : map)
      if (const auto key = item.first.as<std::string>(); !known.contains(key)) fail(item.first, "unknown: " + key);
  }

  static void resolution(const YAML::Node& node, unsigned& width, unsigned& height) {
    width = node[0].as<unsigned>();
    height = node[1].as<unsigned>();
  }

  VgpuSeries series(const YAML::Node& node) const {
    only(node, {"class", "heads", "resolution", "frame_rate_limit", "max_per_vm", "license", "product"});
    VgpuSeries out;
    out.type_class = node["class"].as<std::string>();
    out.license = node["license"].as<std::string>();
    out.product = node["product"].as<std::string>();
    out.heads = node["heads"].as<unsigned>();
    out.frame_rate_limit = node["frame_rate_limit"].as<unsigned>();
    out.max_per_vm = node["max_per_vm"].as<unsigned>();
    resolution(node["resolution"], out.width, out.height);
    return out;
  }

  VgpuBoard board(const YAML::Node& name, const YAML::Node& node, const std::map<std::string, VgpuSeries>& series) {
    only(node, {"prefix", "device_id", "memory_gb", "most", "mixes_without_loss", "estimate", "types"});
    VgpuBoard out;
    out.gpu = name.as<std::string>();
    out.prefix = node["prefix"].as<std::string>("NVIDIA");
    out.device_id = node["device_id"].as<unsigned>();
    out.memory_gb = node["memory_gb"].as<unsigned>();
    out.most = node["most"].as<unsigned>(32);
    out.mixes_without_loss = node["mixes_without_loss"].as<bool>(false);
    for (const auto& item : node["types"]) out.types.push_back(type(item.first, item.second, series));
    return out;
  }

  // A40-8Q: 8 GB, series Q. What stands behind the series, as in 1-10CME, is part of the name alone.
  VgpuType type(const YAML::Node& name, const YAML::Node& node, const std::map<std::string, VgpuSeries>& series) {
    only(node, {"id", "subsystem_id", "profile", "resolution", "most", "estimate"});
    VgpuType out;
    out.name = name.as<std::string>();
    const auto dash = out.name.rfind('-');
    const auto letter = out.name.find_first_not_of("0123456789", dash + 1);
    if (dash == std::string::npos || letter == std::string::npos || letter == dash + 1)
      fail(name, "expected a name as A40-8Q, got " + out.name);
    out.memory_gb = static_cast<unsigned>(std::stoul(out.name.substr(dash + 1, letter - dash - 1)));
    out.series = out.name.substr(letter, 1);
    const auto found = series.find(out.series);
    if (found == series.end()) fail(name, "no series " + out.series);
    out.width = found->second.width;
    out.height = found->second.height;
    out.id = node["id"].as<unsigned>();
    if (!ids_.insert(out.id).second) fail(name, "another type has id " + std::to_string(out.id));
    if (const auto id = node["subsystem_id"]) out.subsystem_id = id.as<unsigned>();
    out.most = node["most"].as<unsigned>(0);
    if (const auto profile = node["profile"]) out.profile = profile.as<std::string>();
    if (const auto other = node["resolution"]) resolution(other, out.width, out.height);
    return out;
  }

  std::string file_;
  std::set<unsigned> ids_;
};

}  // namespace

VgpuTypes load_vgpu_types(const std::filesystem::path& file) {
  try {
    return VgpuTypeReader(file.string()).read();
  } catch (const YAML::Exception& e) {
    throw RegistryError(file.string() + ":" + std::to_string(e.mark.line + 1), e.msg);
  }
}

}  // namespace nvmlgen
