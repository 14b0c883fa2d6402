#include "smi_log/machine_text.hpp"

#include <algorithm>

#include "sim/generated/model_descriptors.hpp"

namespace nvmlkit::smi_log {
namespace {

using sim::model::StructDescriptor;
using sim::model::Type;

constexpr std::size_t kWidth = 118;

// Breaks a long list behind commas, outside of quotes.
std::string wrapped(const std::string& text, std::size_t used, std::size_t indent) {
  if (used + text.size() <= kWidth) return std::string(1, ' ') += text;
  const std::string margin = std::string(1, '\n').append(indent + 2, ' ');
  std::string out = margin;
  std::size_t column = indent + 2;
  bool quote = false;
  for (std::size_t i = 0, next = 0; i < text.size(); i = next) {
    for (next = i; next < text.size(); ++next) {
      if (text[next] == '"' && (next == 0 || text[next - 1] != '\\')) quote = !quote;
      if (!quote && text[next] == ' ' && text[next - 1] == ',') break;
    }
    const std::string piece = text.substr(i, next - i);
    if (i > 0 && column + piece.size() + 1 > kWidth) {
      out += margin;
      column = indent + 2;
    } else if (i > 0) {
      out += ' ';
      ++column;
    }
    out += piece;
    column += piece.size();
    next += next < text.size() ? 1 : 0;
  }
  return out;
}

// In the order of the registry.
void write(const StructDescriptor& type, const std::string& prefix, const Values& values, std::size_t indent,
           std::string& out) {
  for (const auto& field : type.fields()) {
    const std::string path = prefix + std::string(field.name());
    const std::string head = std::string(indent, ' ') + std::string(field.name()) + ":";
    if (const auto at = values.find(path); at != values.end()) {
      out += head + wrapped(at->second.yaml, head.size() + 1, indent) + "\n";
    } else if (field.type == Type::structure && !field.list && !field.reader) {
      const auto first = values.lower_bound(path + ".");
      if (first == values.end() || !first->first.starts_with(path + ".")) continue;
      out += head + "\n";
      write(field.nested(), path + ".", values, indent + 2, out);
    }
  }
}

bool identifies(std::string_view path) {
  return path == "uuid" || path == "serial" || path == "minor_number" || path == "pci.bus_id" || path == "board_id" ||
         path == "pdi";
}

// The values that all GPUs have alike; they leave `gpus`.
Values take_common(std::vector<Values>& gpus) {
  Values common;
  if (gpus.empty()) return common;
  for (const auto& entry : gpus.front()) {
    const auto has_it = [&entry](const Values& gpu) {
      const auto at = gpu.find(entry.first);
      return at != gpu.end() && at->second.yaml == entry.second.yaml;
    };
    if (!identifies(entry.first) && std::all_of(gpus.begin(), gpus.end(), has_it)) common.insert(entry);
  }
  for (auto& gpu : gpus)
    for (const auto& [path, value] : common) gpu.erase(path);
  return common;
}

}  // namespace

std::string text_of(const MachineText& machine) {
  const auto& gpu_type = sim::model::descriptor<sim::model::Gpu>();
  std::vector<Values> gpus = machine.gpus;
  const Values common = take_common(gpus);
  std::string out = "# " + machine.comment + "\nversion: \"1.0\"\n";
  if (!machine.base.empty()) out += "base: " + machine.base + "\n";
  out += "\n";
  write(sim::model::descriptor<sim::model::Machine>(), "", machine.host, 0, out);
  if (!common.empty()) {
    out += "\ndevice_defaults:\n";
    write(gpu_type, "", common, 2, out);
  }
  if (!gpus.empty()) out += "\ndevices:\n";
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    out += "  - index: " + std::to_string(i) + "\n";
    write(gpu_type, "", gpus[i], 4, out);
  }
  return out;
}

}  // namespace nvmlkit::smi_log
