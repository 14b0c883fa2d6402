#include "registry/xids.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "registry/error.hpp"

namespace nvmlgen {
namespace {

const std::string& one_of(const std::string& where, const std::string& word, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), word) == words.end()) throw RegistryError(where, "unknown: " + word);
  return word;
}

OperationalEvent read_operational(const std::string& where, const YAML::Node& value) {
  OperationalEvent out;
  for (const auto& item : value) {
    const auto name = item.first.as<std::string>();
    const auto text = item.second.as<std::string>();
    if (name == "module")
      out.module = text;
    else if (name == "code")
      out.code = item.second.as<unsigned>();
    else if (name == "category")
      out.category = item.second.as<unsigned>();
    else if (name == "severity")
      out.severity = one_of(where, text, {"informational", "corrected", "recoverable", "fatal"});
    else if (name == "level")
      out.level = one_of(where, text, {"telemetry", "diag", "notice", "warning", "error"});
    else
      throw RegistryError(where, "unknown: " + name);
  }
  constexpr std::size_t kLongestModule = 16;
  if (out.module.empty() || out.module.size() > kLongestModule || out.severity.empty() || out.level.empty())
    throw RegistryError(where, "operational needs module (at most 16 bytes), severity and level");
  return out;
}

Xid read_entry(const std::string& where, const YAML::Node& key, const YAML::Node& value) {
  static const std::vector<std::string> effects = {"lost",          "reset",        "unresponsive", "double_bit",
                                                   "remap_pending", "remap_failed", "nvlink"};
  Xid xid;
  xid.number = key.as<unsigned>();
  xid.effect = "none";
  for (const auto& item : value) {
    const auto name = item.first.as<std::string>();
    if (name == "operational") {
      xid.operational = read_operational(where, item.second);
      continue;
    }
    const auto text = item.second.as<std::string>();
    if (name == "mnemonic")
      xid.mnemonic = text;
    else if (name == "name")
      xid.name = text;
    else if (name == "log")
      xid.log = text;
    else if (name == "effect" && std::find(effects.begin(), effects.end(), text) != effects.end())
      xid.effect = text;
    else
      throw RegistryError(where, "unknown: " + name + ": " + text);
  }
  if (xid.mnemonic.empty() || xid.name.empty()) throw RegistryError(where, "mnemonic and name are needed");
  return xid;
}

void read_into(Xid& xid, const std::string& where, const YAML::Node& value, const YAML::Node& key) {
  xid = read_entry(where, key, value);
}

void read_into(Sxid& sxid, const std::string& where, const YAML::Node& value, const YAML::Node& key) {
  sxid.number = key.as<unsigned>();
  for (const auto& item : value) {
    const auto name = item.first.as<std::string>();
    if (name == "message")
      sxid.message = item.second.as<std::string>();
    else if (name == "fatal")
      sxid.fatal = item.second.as<bool>();
    else
      throw RegistryError(where, "unknown: " + name);
  }
  if (sxid.message.empty()) throw RegistryError(where, "message is needed");
}

template <class Entry>
std::vector<Entry> load_numbered(const std::filesystem::path& file) {
  std::vector<Entry> out;
  try {
    for (const auto& item : YAML::LoadFile(file.string())) {
      const auto where = file.string() + ":" + std::to_string(item.first.Mark().line + 1);
      read_into(out.emplace_back(), where, item.second, item.first);
      if (out.size() > 1 && out[out.size() - 2].number >= out.back().number)
        throw RegistryError(where, "the numbers are not in order");
    }
  } catch (const YAML::Exception& e) {
    throw RegistryError(file.string() + ":" + std::to_string(e.mark.line + 1), e.msg);
  }
  return out;
}

}  // namespace

std::vector<Xid> load_xids(const std::filesystem::path& file) { return load_numbered<Xid>(file); }
std::vector<Sxid> load_sxids(const std::filesystem::path& file) { return load_numbered<Sxid>(file); }

}  // namespace nvmlgen
