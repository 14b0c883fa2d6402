#include "smi_log/profile.hpp"

#include "sim/config/builtin.hpp"
#include "sim/config/document.hpp"
#include "smi_log/units.hpp"

namespace nvmlkit::smi_log {
namespace {

using sim::config::Document;
using sim::config::Kind;
using sim::config::Node;

std::string flow(const Node& node) {
  std::string out;
  switch (node.kind()) {
    case Kind::scalar:
      return node.absent() ? "N/A" : node.plain() ? std::string(node.text()) : quoted(node.text());
    case Kind::sequence:
      node.items([&](const Node& item) { out += (out.empty() ? "" : ", ") + flow(item); });
      return "[" + out + "]";
    case Kind::mapping:
      node.entries([&](const Node& key, const Node& value) {
        out += (out.empty() ? "" : ", ") + std::string(key.text()) + ": " + flow(value);
      });
  }
  return "{" + out + "}";
}

void flatten(const Node& node, const std::string& prefix, std::map<std::string, std::string>& out) {
  node.entries([&](const Node& key, const Node& value) {
    const std::string path = prefix + std::string(key.text());
    if (value.kind() == Kind::mapping)
      flatten(value, path + ".", out);
    else
      out[path] = flow(value);
  });
}

// The text of a key at the top, or of one below device_defaults.
std::string text_at(const Document& document, std::string_view key, bool in_defaults) {
  Node node = document.root();
  if (in_defaults && node) node = node.find("device_defaults");
  if (node) node = node.find(key);
  return node && node.kind() == Kind::scalar ? std::string(node.text()) : std::string();
}

std::string name_of(std::string_view profile, int depth = 0) {
  const auto document = Document::parse(std::string(profile), sim::builtin_machine_text(profile));
  auto name = text_at(document, "name", true);
  if (const auto base = text_at(document, "base", false); name.empty() && !base.empty() && depth < 8)
    name = name_of(base, depth + 1);
  return name;
}

}  // namespace

std::string_view profile_of(std::string_view product_name) {
  // Machines of a GPU with a host around it have longer names than the machine of the GPU alone.
  std::string_view best;
  for (const auto& builtin : sim::list_builtin_machines())
    if ((best.empty() || builtin.name.size() < best.size()) && name_of(builtin.name) == product_name)
      best = builtin.name;
  return best;
}

std::map<std::string, std::string> fields_of_profile(std::string_view profile) {
  const auto document = Document::parse(std::string(profile), sim::builtin_machine_text(profile));
  std::map<std::string, std::string> out;
  if (const auto base = text_at(document, "base", false); !base.empty()) out = fields_of_profile(base);
  if (const Node defaults = document.root().find("device_defaults")) flatten(defaults, "", out);
  return out;
}

}  // namespace nvmlkit::smi_log
