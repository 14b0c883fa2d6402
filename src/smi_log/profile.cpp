#include "smi_log/profile.hpp"

#include <cstdint>
#include <optional>

#include "sim/config/builtin.hpp"
#include "sim/config/document.hpp"
#include "sim/text/numbers.hpp"
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

// All built-in machines, read once.
struct Profiles {
  std::map<std::string_view, std::map<std::string, std::string>> fields;
  std::map<std::string, std::string_view> by_product;

  Profiles() {
    for (const auto& builtin : sim::list_builtin_machines()) {
      fields[builtin.name] = fields_of(builtin.name);
      const auto name = fields[builtin.name].find("name");
      if (name == fields[builtin.name].end()) continue;
      // Machines of a GPU with a host around it have longer names than the machine of the GPU alone.
      auto& best = by_product[name->second];
      if (best.empty() || builtin.name.size() < best.size()) best = builtin.name;
    }
  }

  static std::map<std::string, std::string> fields_of(std::string_view profile, int depth = 0) {
    std::map<std::string, std::string> out;
    const auto parsed = Document::parse(std::string(profile), sim::builtin_machine_text(profile));
    if (!parsed) return out;
    const auto& document = *parsed;
    if (const Node base = document.root().find("base"); base && depth < 8) out = fields_of(base.text(), depth + 1);
    if (const Node defaults = document.root().find("device_defaults")) flatten(defaults, "", out);
    return out;
  }
};

std::optional<std::uint64_t> hex_number(std::string_view text) {
  if (!text.starts_with("0x")) return {};
  std::string_view rest;
  return sim::text::number_before<std::uint64_t>(text.substr(2), rest, 16);
}

const Profiles& profiles() {
  static const Profiles all;
  return all;
}

}  // namespace

std::string_view profile_of_device(std::string_view device_id) {
  std::string_view best;
  const auto wanted = hex_number(device_id);
  if (!wanted) return {};
  for (const auto& [name, fields] : profiles().fields) {
    const auto at = fields.find("pci.device_id");
    if (at == fields.end() || hex_number(at->second) != wanted) continue;
    if (best.empty() || name.size() < best.size()) best = name;
  }
  return best;
}

std::string_view profile_of(std::string_view product_name) {
  for (const auto& form : {std::string(product_name), quoted(product_name)})
    if (const auto at = profiles().by_product.find(form); at != profiles().by_product.end()) return at->second;
  return {};
}

const std::map<std::string, std::string>& fields_of_profile(std::string_view profile) {
  static const std::map<std::string, std::string> none;
  const auto at = profiles().fields.find(profile);
  return at == profiles().fields.end() ? none : at->second;
}

}  // namespace nvmlkit::smi_log
