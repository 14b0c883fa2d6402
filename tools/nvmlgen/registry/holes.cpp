#include "registry/holes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <regex>
#include <set>

#include "registry/error.hpp"
#include "registry/model.hpp"

namespace nvmlgen {
namespace {

// nvmlDeviceGetCount_v2 -> nvmlDeviceGetCount
std::string family_of(const std::string& function) {
  static const std::regex suffix("_v[0-9]+$");
  return std::regex_replace(function, suffix, "");
}

void check_params(const Function& fact, const FunctionSemantics& entry, std::vector<std::string>& holes) {
  if (fact.params.size() != entry.params.size())
    holes.push_back(fmt::format("{}: {} parameters in the header, {} in the semantics", fact.name, fact.params.size(),
                                entry.params.size()));
  for (std::size_t i = 0; i < fact.params.size() && i < entry.params.size(); ++i)
    if (fact.params[i].name != entry.params[i].name)
      holes.push_back(fmt::format("{}: parameter {} is {} in the header and {} in the semantics", fact.name, i + 1,
                                  fact.params[i].name, entry.params[i].name));
  for (const auto& p : entry.params) {
    if (p.role == Role::array && p.length.empty())
      holes.push_back(fmt::format("{}: buffer {} does not say which parameter is its length", fact.name, p.name));
    if (!p.length.empty() && !entry.find(p.length))
      holes.push_back(fmt::format("{}: length {} of {} is no parameter", fact.name, p.length, p.name));
    const auto* declared = fact.find(p.name);
    const bool written = p.role == Role::out || p.role == Role::inout || p.role == Role::array;
    if (declared && written && declared->ptr == 0)
      holes.push_back(fmt::format("{}: {} is written, but is passed by value", fact.name, p.name));
  }
}

void check_chain(const Facts& facts, const FunctionSemantics& entry, const Semantics& semantics,
                 std::vector<std::string>& holes) {
  for (const auto& member : entry.chain) {
    const auto it = semantics.functions.find(member);
    if (it == semantics.functions.end() || !facts.function(member)) {
      holes.push_back(fmt::format("{}: chain names {}, which is no function", entry.name, member));
    } else if (member != entry.name && it->second.chained_by != entry.name) {
      holes.push_back(fmt::format("{}: in the chain of {}, but does not say so", member, entry.name));
    } else if (!it->second.provisional.empty()) {
      holes.push_back(fmt::format("{}: provisional, but in the chain of {}", member, entry.name));
    }
  }
  if (!entry.chain.empty() && entry.chain.front() != entry.name)
    holes.push_back(fmt::format("{}: does not lead its own chain", entry.name));
}

// Every family of more than one version is one chain. A provisional version stands beside it.
void check_families(const Facts& facts, const Semantics& semantics, std::vector<std::string>& holes) {
  std::map<std::string, std::vector<std::string>> families;
  for (const auto& f : facts.functions) {
    const auto it = semantics.functions.find(f.name);
    if (it == semantics.functions.end() || it->second.provisional.empty())
      families[family_of(f.name)].push_back(f.name);
  }
  for (const auto& [family, members] : families) {
    if (members.size() < 2) continue;
    for (const auto& member : members) {
      const auto it = semantics.functions.find(member);
      if (it != semantics.functions.end() && it->second.chain.empty() && it->second.chained_by.empty())
        holes.push_back(fmt::format("{}: one of {} versions, but in no chain", member, members.size()));
    }
  }
}

// The results of checks that the entry names.
std::vector<std::string> results_of(const FunctionSemantics& entry) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& code) {
    if (!code.empty() && code != "accepted") out.push_back(code);
  };
  add(entry.mismatch);
  for (const auto& p : entry.params) {
    add(p.unknown);
    add(p.missing);
  }
  return out;
}

[[noreturn]] void report(const std::vector<std::string>& holes) {
  throw RegistryError("registry", fmt::format("{} hole{}:\n  {}", holes.size(), holes.size() == 1 ? "" : "s",
                                              fmt::join(holes, "\n  ")));
}

}  // namespace

void refuse_holes(const Facts& facts, const Semantics& semantics) {
  std::vector<std::string> holes;
  for (const auto& f : facts.functions)
    if (!semantics.functions.count(f.name))
      holes.push_back(f.name + ": no semantics; add its entry to a file of registry/semantics");
  for (const auto& [name, entry] : semantics.functions) {
    const auto* fact = facts.function(name);
    if (!fact) {
      holes.push_back(name + ": semantics for a function that no header declares and no driver exports");
      continue;
    }
    check_params(*fact, entry, holes);
    check_chain(facts, entry, semantics, holes);
    for (const auto& macro : entry.versions)
      if (!facts.version_tag(macro)) holes.push_back(fmt::format("{}: unknown version {}", name, macro));
    for (const auto& code : {entry.on_mig, entry.in_mig_mode})
      if (code.starts_with("NVML_") ? !facts.value(code) : !code.empty() && code != "code" && code != "gpu")
        holes.push_back(fmt::format("{}: expected code, gpu or a return code, got {}", name, code));
    if (!entry.sim.by.empty() && (entry.on_mig != "code" || entry.sets()))
      holes.push_back(
          fmt::format("{}: {} answers for MIG devices too (on_mig: code) and only reads", name, entry.sim.by));
    for (const auto& param : entry.needs_after)
      if (entry.needs.empty() || !entry.find(param))
        holes.push_back(
            fmt::format("{}: needs_after names {}, but there is no such parameter or no need", name, param));
    for (const auto& code : results_of(entry))
      if (!facts.value(code)) holes.push_back(fmt::format("{}: unknown return code {}", name, code));
    for (const auto& code : entry.success)
      if (!facts.value(code)) holes.push_back(fmt::format("{}: unknown return code {}", name, code));
    if (!entry.sim.result.empty() && !facts.value(entry.sim.result))
      holes.push_back(fmt::format("{}: unknown return code {}", name, entry.sim.result));
  }
  check_families(facts, semantics, holes);
  if (!holes.empty()) report(holes);
}

void refuse_holes(const Semantics& semantics, const FieldIds& field_ids, const Model& model) {
  std::vector<std::string> holes;
  std::set<std::string> read;
  const auto use = [&](const std::string& who, const std::string& path) {
    read.insert(path);
    if (!model.find(path)) holes.push_back(fmt::format("{}: {} is no field of the model", who, path));
  };
  for (const auto& [name, entry] : semantics.functions) {
    for (const auto& [param, path] : entry.sim.read) use(name, path);
    for (const auto& path : entry.sim.reads) use(name, path);
    for (const auto& path : entry.sim.writes) use(name, path);
    if (entry.root && entry.commands()) use(name, "system.enforce_privilege");
    if (!entry.restricted_by.empty()) use(name, entry.restricted_by);
    if (entry.needs.starts_with("gpu.")) use(name, entry.needs);
    for (const auto& path : entry.sim.writes)
      if (!path.starts_with("gpu.")) holes.push_back(fmt::format("{}: writes {}, which is no GPU's", name, path));
  }
  for (const auto& id : field_ids.ids) {
    for (const auto& [scope, path] : id.scopes) use(id.name, path);
    for (const auto& path : id.reads) use(id.name, path);
  }
  for (const auto& leaf : model.leaves()) {
    std::string path = leaf.path;  // gpu.processes[].pid is read as gpu.processes.pid
    for (auto at = path.find("[]"); at != std::string::npos; at = path.find("[]")) path.erase(at, 2);
    const bool excused = leaf.field->handled_by_reader || leaf.field->visibility != Visibility::shown;
    if (!excused && !read.count(path))
      holes.push_back(
          fmt::format("{}: {} is read by no function; add it to the sim of a function in registry/semantics, or give "
                      "it inert or later",
                      leaf.field->where, path));
    if (leaf.field->visibility != Visibility::shown && read.count(path))
      holes.push_back(fmt::format("{}: {} is read by a function; remove its inert or later", leaf.field->where, path));
  }
  if (!holes.empty()) report(holes);
}

}  // namespace nvmlgen
