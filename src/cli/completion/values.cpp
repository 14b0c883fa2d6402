#include "cli/completion/values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/command_error.hpp"
#include "cli/selector.hpp"
#include "cli/state_files.hpp"
#include "sim/config/builtin.hpp"
#include "sim/faults/kinds.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/generated/return_codes.hpp"
#include "sim/generated/symbols.hpp"
#include "sim/text/paths.hpp"
#include "sim/traits/driver_branch.hpp"

namespace nvmlkit::cli {
namespace {

using Candidates = std::vector<Candidate>;

// Those that begin with what was typed.
Candidates matching(Candidates all, const std::string& typed) {
  std::erase_if(all, [&](const auto& each) { return !each.value.starts_with(typed) && !each.value.starts_with(":"); });
  return all;
}

Candidates machines() {
  Candidates out;
  for (const auto& builtin : sim::list_builtin_machines())
    out.push_back({std::string(builtin.name), "built-in machine"});
  out.push_back({":files", ""});
  return out;
}

Candidates names() {
  Candidates out;
  for (const auto& state : list_states()) out.push_back({state.name, "machine that is up"});
  return out;
}

Candidates drivers() {
  Candidates out;
  for (const auto& branch : sim::driver_branches)
    out.push_back({std::to_string(branch.number), "driver " + std::string(branch.version)});
  return out;
}

std::unique_ptr<sim::Machine> machine_on(const CommandLine& line) {
  if (!line.state.empty()) return attach(line.state);
  if (!line.name.empty()) return attach(state_of_name(line.name));
  return attach(state_in_environment().value_or(state_of_name(kDefaultName)));
}

// By index; by UUID and bus id once the user began to type one.
Candidates gpus(const CommandLine& line, const std::string& typed) {
  Candidates out{{"gpu=all", "all GPUs"}};
  const auto machine = machine_on(line);
  for (std::size_t i = 0; i < machine->gpus().size(); ++i) {
    const auto& gpu = machine->gpus()[i];
    out.push_back({fmt::format("gpu={}", i), gpu.name ? std::string(gpu.name->view()) : ""});
    if (typed.starts_with("gpu=G") && gpu.uuid)
      out.push_back({fmt::format("gpu={}", gpu.uuid->view()), fmt::format("GPU {}", i)});
  }
  return out;
}

Candidates gpus_or_all(const CommandLine& line, const std::string& typed) {
  try {
    return gpus(line, typed);
  } catch (const CommandError&) {
    return {{"gpu=all", "all GPUs"}};
  }
}

Candidates values_of(const sim::model::FieldDescriptor& field, const std::string& before) {
  Candidates out;
  for (const auto& word : field.words()) out.push_back({before + std::string(word.word()), ""});
  if (field.type == sim::model::Type::boolean) out = {{before + "true", ""}, {before + "false", ""}};
  return out;
}

// The next name of a path; of a group it goes on behind the dot. `assigned`: a value follows.
Candidates fields(const std::string& typed, bool assigned) {
  const auto* type = &sim::model::descriptor<sim::model::Gpu>();
  const auto last = typed.rfind('.');
  const auto before = last == std::string::npos ? std::string() : typed.substr(0, last + 1);
  if (!before.empty()) {
    const auto group = sim::text::find_field(*type, std::string_view(typed).substr(0, last));
    if (!group || group.field->list || group.field->type != sim::model::Type::structure) return {};
    type = &group.field->nested();
  }
  if (const auto equals = typed.find('='); equals != std::string::npos) {
    const auto* field = type->find(typed.substr(before.size(), equals - before.size()));
    return assigned && field != nullptr ? values_of(*field, typed.substr(0, equals + 1)) : Candidates();
  }
  Candidates out;
  for (const auto& field : type->fields()) {
    if (field.reader) continue;
    const bool group = !field.list && field.type == sim::model::Type::structure;
    out.push_back({fmt::format("{}{}{}", before, field.name(),
                               group      ? "."
                               : assigned ? "="
                                          : ""),
                   std::string(field.doc())});
  }
  return out;
}

// The words of a fault, by their place.
Candidates fault_words(const CommandLine& line, const std::string& typed) {
  const auto& words = line.arguments;
  Candidates out;
  if (words.empty()) {
    out = gpus_or_all(line, typed);
    out.push_back({"machine", "the machine as a whole"});
    out.push_back({"nic=all", "all network adapters"});
  } else if (words.size() == 1) {
    if (words[0] == "machine")
      for (const char* kind : {"driver-not-loaded", "version-mismatch", "no-permission", "no-devices"})
        out.push_back({kind, ""});
    else if (words[0].starts_with("nic="))
      return {{"down", "no link"}, {"errors", "[COUNTER] [--count N]"}};
    else
      for (const auto* kind : sim::faults::kinds()) out.push_back({std::string(kind->name), std::string(kind->usage)});
    out.push_back({"fail", "FUNCTION|all ERROR"});
    out.push_back({"slow", "FUNCTION|all TIME"});
  } else if (words.size() == 2 && (words[1] == "fail" || words[1] == "slow")) {
    for (const auto& name : sim::symbol_names) out.push_back({std::string(name), ""});
    out.push_back({"all", "every function"});
  } else if (words.size() == 3 && words[1] == "fail") {
    for (const auto& code : sim::return_codes)
      if (code.value != 0) out.push_back({std::string(code.name), ""});
  }
  return out;
}

Candidates commands(const CommandLine& line) {
  const CommandNode* at = line.command;
  while (at->parent != nullptr) at = at->parent;
  for (const auto& word : line.arguments) {
    at = at->child(word);
    if (at == nullptr) return {};
  }
  Candidates out;
  for (const auto& child : at->children)
    if (child.command.group != Group::hidden) out.push_back({child.word, child.command.summary});
  return out;
}

Candidates all_values(const Parameter& parameter, const CommandLine& line, const std::string& typed) {
  switch (parameter.kind) {
    case Kind::file:
      return {{":files", ""}};
    case Kind::folder:
      return {{":folders", ""}};
    case Kind::program:
      return {{":programs", ""}};
    case Kind::machine:
      return machines();
    case Kind::driver:
      return drivers();
    case Kind::gpu:
    case Kind::gpu_list:
      return gpus_or_all(line, typed);
    case Kind::field:
      return fields(typed, false);
    case Kind::assignment:
      return fields(typed, true);
    case Kind::name:
      return names();
    case Kind::fault:
      return fault_words(line, typed);
    case Kind::command:
      return commands(line);
    default:
      return {};
  }
}

}  // namespace

std::vector<Candidate> complete_value(const Parameter& parameter, const CommandLine& line, const std::string& typed) {
  auto out = all_values(parameter, line, typed);
  for (const auto& choice : parameter.choices) out.push_back({choice, ""});
  return matching(std::move(out), typed);
}

}  // namespace nvmlkit::cli
