#include "registry/architectures.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>

#include "registry/error.hpp"

namespace nvmlgen {
namespace {

class ArchitectureReader {
 public:
  ArchitectureReader(std::string file, const Model& model)
      : file_(std::move(file)), words_(model.enumeration("Architecture")) {}

  Chip chip(const YAML::Node& key, const YAML::Node& value) const {
    Chip out;
    out.name = key.as<std::string>();
    for (const auto& item : value) {
      const auto name = item.first.as<std::string>();
      if (name == "architecture")
        out.architecture = architecture(item.second);
      else if (name == "compute_capability")
        capability(item.second, out);
      else
        fail(item.first, "unknown key '" + name + "'");
    }
    if (out.architecture == 0 || out.major == 0) fail(key, "a chip needs architecture and compute_capability");
    return out;
  }

  Trait trait(const YAML::Node& key, const YAML::Node& value, const std::vector<Chip>& chips) const {
    Trait out;
    out.name = key.as<std::string>();
    for (const auto& item : value) {
      const auto name = item.first.as<std::string>();
      if (name == "from")
        out.from = architecture(item.second);
      else if (name == "doc")
        out.doc = item.second.as<std::string>();
      else if (name == "also" || name == "without")
        (name == "also" ? out.also : out.without) = names(item.second, chips);
      else
        fail(item.first, "unknown key '" + name + "'");
    }
    if (out.from == 0 || out.doc.empty()) fail(key, "a trait needs from and doc");
    return out;
  }

 private:
  [[noreturn]] void fail(const YAML::Node& at, const std::string& why) const {
    throw RegistryError(file_ + ":" + std::to_string(at.Mark().line + 1), why);
  }

  std::int64_t architecture(const YAML::Node& node) const {
    const auto* word = words_ ? words_->find(node.as<std::string>()) : nullptr;
    if (!word) fail(node, "the model has no architecture '" + node.as<std::string>() + "'");
    return word->value;
  }

  void capability(const YAML::Node& node, Chip& out) const {
    const auto text = node.as<std::string>();
    const char* const end = text.data() + text.size();
    const auto [dot, problem] = std::from_chars(text.data(), end, out.major);
    if (problem != std::errc() || dot == end || *dot != '.' || std::from_chars(dot + 1, end, out.minor).ptr != end ||
        dot + 1 == end)
      fail(node, "expected MAJOR.MINOR");
  }

  std::vector<std::string> names(const YAML::Node& list, const std::vector<Chip>& chips) const {
    std::vector<std::string> out;
    for (const auto& item : list) {
      out.push_back(item.as<std::string>());
      if (std::none_of(chips.begin(), chips.end(), [&](const Chip& chip) { return chip.name == out.back(); }))
        fail(item, "there is no chip '" + out.back() + "'");
    }
    return out;
  }

  std::string file_;
  const ModelEnum* words_;
};

}  // namespace

Architectures load_architectures(const std::filesystem::path& file, const Model& model) {
  Architectures out;
  try {
    const auto document = YAML::LoadFile(file.string());
    const ArchitectureReader reader(file.string(), model);
    for (const auto& item : document["chips"]) out.chips.push_back(reader.chip(item.first, item.second));
    for (const auto& item : document["traits"]) out.traits.push_back(reader.trait(item.first, item.second, out.chips));
  } catch (const YAML::Exception& e) {
    throw RegistryError(file.string() + ":" + std::to_string(e.mark.line + 1), e.msg);
  }
  if (out.traits.empty()) throw RegistryError(file.string(), "no traits");
  return out;
}

}  // namespace nvmlgen
