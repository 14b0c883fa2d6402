#include "sim/text/machine_text.hpp"

#include <algorithm>

#include "sim/generated/model_descriptors.hpp"
#include "sim/text/flow.hpp"
#include "sim/text/paths.hpp"
#include "sim/text/scalar.hpp"
#include "sim/text/walk.hpp"

namespace nvmlkit::sim::text {
namespace {

using model::StructDescriptor;
using model::Type;

constexpr std::size_t kWidth = 118;

// Where the next item of a long list begins: behind a comma and a blank, outside of quotes.
std::size_t end_of_item(const std::string& text, std::size_t from) {
  bool inside = false;
  for (std::size_t at = from; at < text.size(); ++at) {
    if (inside && text[at] == '\\')
      ++at;
    else if (text[at] == '"')
      inside = !inside;
    else if (!inside && text[at] == ' ' && at > 0 && text[at - 1] == ',')
      return at;
  }
  return text.size();
}

// A value behind its key. Long lists are broken into lines.
std::string wrapped(const std::string& text, std::size_t used, std::size_t indent) {
  if (used + text.size() <= kWidth) return std::string(1, ' ') += text;
  const std::string margin = std::string(1, '\n').append(indent + 2, ' ');
  std::string out = margin;
  std::size_t column = indent + 2;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = end_of_item(text, i);
    const std::size_t size = end - i;
    if (i > 0 && column + size + 1 > kWidth) {
      out += margin;
      column = indent + 2;
    } else if (i > 0) {
      out += ' ';
      ++column;
    }
    out.append(text, i, size);
    column += size;
    i = end + 1;
  }
  return out;
}

// Writes the values below a struct, in the order of the registry.
void write_values(const StructDescriptor& type, const std::string& prefix, const Values& values, std::size_t indent,
                  std::string& out) {
  for (const auto& field : type.fields()) {
    const std::string path = prefix + std::string(field.name());
    const std::string head = std::string(indent, ' ') + std::string(field.name()) + ":";
    if (const auto at = values.find(path); at != values.end()) {
      out += head + wrapped(at->second, head.size() + 1, indent) + "\n";
    } else if (field.type == Type::structure && !field.list && !field.reader) {
      const auto first = values.lower_bound(path + ".");
      if (first == values.end() || !first->first.starts_with(path + ".")) continue;
      out += head + "\n";
      write_values(field.nested(), path + ".", values, indent + 2, out);
    }
  }
}

// What identifies a GPU is written for each GPU, even if all agree: the reader would count a common serial on.
bool identifies(std::string_view path) {
  const auto found = find_field(model::descriptor<model::Gpu>(), path);
  return found && found.field->identifies();
}

// The values that all GPUs have alike; they leave `gpus`.
Values take_common(std::vector<Values>& gpus) {
  Values common;
  if (gpus.empty()) return common;
  for (const auto& entry : gpus.front()) {
    const auto has_it = [&entry](const Values& gpu) {
      const auto at = gpu.find(entry.first);
      return at != gpu.end() && at->second == entry.second;
    };
    if (std::all_of(gpus.begin(), gpus.end(), has_it) && !identifies(entry.first)) common.insert(entry);
  }
  for (auto& gpu : gpus)
    for (const auto& [path, value] : common) gpu.erase(path);
  return common;
}

// A value in flow style; empty for a value that is left out.
std::string flow_of(const Part& part) {
  switch (part.form) {
    case Form::absent:
      return part.stated || part.field->has_default ? "N/A" : "";
    case Form::scalar:
      return yaml_of(*part.field, scalar_at(*part.field, part.at));
    case Form::list: {
      FlowList list;
      each_item(part, [&](const Part& item) { list.add(flow_of(item)); });
      return list.yaml();
    }
    case Form::structure:
      break;
  }
  FlowMap map;
  each_field(part.field->nested(), part.at, [&](const Part& field) {
    if (const auto yaml = flow_of(field); !yaml.empty()) map.add(field.field->name(), yaml);
  });
  return map.yaml();
}

void collect(const StructDescriptor& type, const std::byte* structure, const std::string& prefix, Values& out) {
  each_field(type, structure, [&](const Part& part) {
    const auto path = prefix + std::string(part.field->name());
    if (part.form == Form::structure)
      collect(part.field->nested(), part.at, path + ".", out);
    else if (auto yaml = flow_of(part); !yaml.empty())
      out.emplace(path, std::move(yaml));
  });
}

template <class T>
Values all_values_of(const T& structure) {
  Values out;
  collect(model::descriptor<T>(), reinterpret_cast<const std::byte*>(&structure), "", out);
  return out;
}

}  // namespace

Values values_of(const model::Machine& host) { return all_values_of(host); }
Values values_of(const model::Gpu& gpu) { return all_values_of(gpu); }

std::string yaml_of(MachineText machine) {
  const auto& gpu_type = model::descriptor<model::Gpu>();
  const Values common = take_common(machine.gpus);
  std::string out = machine.comment.empty() ? "" : "# " + machine.comment + "\n";
  out += "version: \"1.0\"\n";
  if (!machine.base.empty()) out += "base: " + machine.base + "\n";
  out += "\n";
  write_values(model::descriptor<model::Machine>(), "", machine.host, 0, out);
  if (!common.empty()) {
    out += "\ndevice_defaults:\n";
    write_values(gpu_type, "", common, 2, out);
  }
  if (!machine.gpus.empty()) out += "\ndevices:\n";
  for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
    out += "  - index: " + std::to_string(i) + "\n";
    write_values(gpu_type, "", machine.gpus[i], 4, out);
  }
  return out;
}

}  // namespace nvmlkit::sim::text
