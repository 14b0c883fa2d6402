#include "sim/steering/undo.hpp"

#include <cstring>
#include <memory>
#include <utility>

#include "sim/generated/model_descriptors.hpp"
#include "sim/state/read.hpp"
#include "sim/steering/fault.hpp"
#include "sim/steering/nic_fault.hpp"
#include "sim/steering/paths.hpp"
#include "sim/steering/selector.hpp"
#include "sim/steering/switch_fault.hpp"
#include "sim/steering/undo_tenants.hpp"
#include "sim/telemetry/inputs.hpp"
#include "sim/telemetry/pins.hpp"
#include "sim/text/flow.hpp"
#include "sim/text/paths.hpp"
#include "sim/text/scalar.hpp"
#include "sim/text/walk.hpp"

namespace nvmlkit::sim::steering {
namespace {

using model::Gpu;
using text::Form;

std::string flow_of(const model::StructDescriptor& type, const std::byte* structure);

// A value as a machine file has it, in one line.
std::string flow_of(const text::Part& part) {
  switch (part.form) {
    case Form::absent:
      return "N/A";
    case Form::scalar:
      return text::yaml_of(*part.field, text::scalar_at(*part.field, part.at));
    case Form::list: {
      text::FlowList out;
      text::each_item(part, [&](const text::Part& item) { out.add(flow_of(item)); });
      return out.yaml();
    }
    case Form::structure:
      break;
  }
  return flow_of(part.field->nested(), part.at);
}

std::string flow_of(const model::StructDescriptor& type, const std::byte* structure) {
  text::FlowMap out;
  text::each_field(type, structure, [&](const text::Part& part) {
    if (part.field->key(false) && (part.form != Form::absent || part.stated))
      out.add(part.field->name(), flow_of(part));
  });
  return out.yaml();
}

bool is_pinned(const Gpu& gpu, std::string_view path) {
  bool pinned = false;
  model::each_live(gpu, [&](std::string_view at, auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if (at == path) pinned = telemetry::is_pinned(gpu.motion, Field::kId);
  });
  return pinned;
}

// Of one assignment to one GPU.
void undo_set(const Gpu& gpu, const std::string& selector, std::string_view assignment, std::vector<Undo>& out) {
  const auto path = full_path(assignment.substr(0, assignment.find('=')));
  const auto& type = model::descriptor<Gpu>();
  const auto found = text::locate(type, path, reinterpret_cast<const std::byte*>(&gpu));
  if (!found) return;
  const std::string key = "set " + selector + " " + path;
  if (telemetry::is_live(path) && !is_pinned(gpu, path))
    out.push_back({key, {"release", selector, path}});
  else
    out.push_back({key, {"set", selector, path + "=" + flow_of(text::part_of(*found->field, found->structure))}});
}

void undo_load(const Gpu& gpu, const std::string& selector, std::vector<Undo>& out) {
  std::vector<std::string> words = {"load", selector, "off"};
  if (const auto& was = gpu.workload; was.gpu) {
    words[2] = std::to_string(*was.gpu);
    for (const auto& [name, share] :
         {std::pair{"--memory", was.memory}, std::pair{"--encoder", was.encoder}, std::pair{"--decoder", was.decoder},
          std::pair{"--jpeg", was.jpeg}, std::pair{"--ofa", was.ofa}})
      if (share) words.insert(words.end(), {name, std::to_string(*share)});
  }
  out.push_back({"load " + selector, std::move(words)});
}

void undo_fault(const Gpu& gpu, const std::string& selector, const std::string& kind, std::vector<Undo>& out) {
  const bool rule = kind == "fail" || kind == "slow";
  const bool healthy = describe(gpu).empty();
  std::vector<std::string> words = {"heal", selector};
  if (rule || !healthy) words.push_back(kind);
  std::string key = "fault " + selector + (rule ? " rule " : healthy ? "" : " ") + (rule || !healthy ? kind : "");
  out.push_back({std::move(key), std::move(words)});
}

// The words behind `fault`, for what is no GPU.
std::vector<Undo> undo_machine_fault(Words words) {
  if (words.size() < 2) return {};
  return {{"fault machine " + words[1], {"heal", "machine", words[1]}}};
}

// Counted errors stay.
std::vector<Undo> undo_nic_fault(Words words) {
  if (words.size() < 2 || words[1] != "down") return {};
  return {{"fault " + words[0], {"heal", words[0], "down"}}};
}

std::vector<Undo> undo_of_gpu(const Machine& machine, std::size_t place, const std::string& verb, Words rest) {
  const auto gpu = std::make_unique<Gpu>();
  const auto& now = machine.gpus()[place];
  std::vector<Undo> out;
  if (!state::consistently(machine, machine.sequence(now),
                           [&] { std::memcpy(static_cast<void*>(gpu.get()), &now, sizeof now); }))
    return out;
  const auto selector = "gpu=" + std::to_string(place);
  if (verb == "load") undo_load(*gpu, selector, out);
  if (verb == "fault" && !rest.empty()) undo_fault(*gpu, selector, rest[0], out);
  if (verb == "set")
    for (const auto& assignment : rest) undo_set(*gpu, selector, assignment, out);
  return out;
}

}  // namespace

std::vector<Undo> undo_of(const Machine& machine, Words words) {
  if (!words.empty() && words[0] == "mig") return undo_mig(machine, words.subspan(1));
  if (!words.empty() && words[0] == "process") return undo_process(machine, words.subspan(1));
  if (words.size() < 2 || (words[0] != "set" && words[0] != "load" && words[0] != "fault")) return {};
  if (words[1] == "machine") return undo_machine_fault(words.subspan(1));
  if (words[1].starts_with(kSwitchSelector)) return {};
  if (words[1].starts_with(kNicSelector)) return undo_nic_fault(words.subspan(1));
  const auto places = select_gpus(machine, words[1]);
  if (!places) return {};
  // Rules for all GPUs are one rule, and end as such.
  if (words[0] == "fault" && words[1] == "gpu=all" && words.size() > 2 && (words[2] == "fail" || words[2] == "slow"))
    return {{"fault gpu=all rule " + words[2], {"heal", "gpu=all", words[2]}}};
  std::vector<Undo> out;
  for (const auto place : *places)
    for (auto& each : undo_of_gpu(machine, place, words[0], words.subspan(2))) out.push_back(std::move(each));
  return out;
}

}  // namespace nvmlkit::sim::steering
