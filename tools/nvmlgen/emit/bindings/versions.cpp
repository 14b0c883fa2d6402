#include "emit/bindings/versions.hpp"

#include <algorithm>
#include <optional>

namespace nvmlgen {
namespace {

// What old entry points really fill, where the facts only know today's struct under that name.
const std::map<std::string, std::string> kLegacyStructs{
    {"nvmlDeviceGetPciInfo", "nvmlPciInfo_v2_t"},
    {"nvmlDeviceGetPciInfo_v2", "nvmlPciInfo_v2_t"},
    {"nvmlDeviceGetNvLinkRemotePciInfo", "nvmlPciInfo_v2_t"},
    {"nvmlDeviceGetAttributes", "nvmlDeviceAttributes_v1_t"},
    {"nvmlComputeInstanceGetInfo", "nvmlComputeInstanceInfo_v1_t"},
    {"nvmlVgpuInstanceGetLicenseInfo", "nvmlVgpuLicenseInfo_v1_t"},
    {"nvmlDeviceGetGridLicensableFeatures", "nvmlGridLicensableFeatures_v1_t"},
    {"nvmlDeviceGetGridLicensableFeatures_v2", "nvmlGridLicensableFeatures_v1_t"},
    {"nvmlDeviceGetGridLicensableFeatures_v3", "nvmlGridLicensableFeatures_v1_t"}};

bool same_types(const std::vector<Param>& a, const std::vector<Param>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Param& x, const Param& y) { return x.type == y.type; });
}

// The one parameter that holds the answer of a chain member: a struct, or a list of them.
const Param* answer_param(const Function& function, const FunctionSemantics& semantics) {
  for (const auto& p : semantics.params)
    if (p.role == Role::out || p.role == Role::inout || p.role == Role::array)
      if (const Param* param = function.find(p.name); param->kind == Kind::structure) return param;
  return nullptr;
}

// The struct that a version macro belongs to, when the function takes one.
const Param* struct_param(const Function& function) {
  for (const auto& p : function.params)
    if (p.kind == Kind::structure) return &p;
  return nullptr;
}

// True if one value can hold the contents of either struct.
bool same_family(const Values& values, const std::string& a, const std::string& b) {
  return a == b || (values.of(a) && values.of(a) == values.of(b));
}

// True when the older one takes the first parameters of the newest, and it is known what it does about the others.
bool lacks_only_known(const Function& newest, const FunctionSemantics& semantics, const Function& older) {
  const std::size_t common = older.params.size();
  if (semantics.older_means.size() + common != newest.params.size()) return false;
  for (std::size_t i = 0; i < newest.params.size(); ++i)
    if (i < common ? newest.params[i].type != older.params[i].type
                   : !semantics.older_means.count(newest.params[i].name))
      return false;
  return true;
}

// An older member of the chain, when its answer is the newest one's or can be converted.
std::optional<MethodVersion> older_version(const Facts& facts, const Function& newest,
                                           const FunctionSemantics& newest_semantics, const std::string& newest_struct,
                                           const Values& values, const Function& older,
                                           const FunctionSemantics& older_semantics) {
  MethodVersion v{&older, &older_semantics, {}};
  const auto legacy = kLegacyStructs.find(older.name);
  if (legacy == kLegacyStructs.end() && older_semantics.call == newest_semantics.call && newest_struct.empty())
    return same_types(newest.params, older.params) || lacks_only_known(newest, newest_semantics, older)
               ? std::optional(v)
               : std::nullopt;
  const Param* answer = answer_param(older, older_semantics);
  if (!answer || older_semantics.call != newest_semantics.call || newest.params.size() != older.params.size())
    return std::nullopt;
  const std::string type = legacy == kLegacyStructs.end() ? canonical(facts, answer->base) : legacy->second;
  if (!same_family(values, type, newest_struct)) return std::nullopt;
  v.structs[answer->name] = type;
  return v;
}

}  // namespace

std::string canonical(const Facts& facts, const std::string& type) {
  const Struct* s = facts.structure(type);
  return s ? s->name : type;
}

std::vector<MethodVersion> versions_of(const Facts& facts, const Semantics& semantics, const Function& function,
                                       const FunctionSemantics& entry) {
  std::vector<MethodVersion> versions;
  const Param* holder = struct_param(function);
  std::string newest_struct;
  if (const Param* answer = answer_param(function, entry)) newest_struct = canonical(facts, answer->base);
  for (const auto& macro : entry.versions) {
    const auto known = facts.struct_versions.find(macro);
    if (known == facts.struct_versions.end() || !holder) continue;
    const std::string type = canonical(facts, known->second.structure);
    if (!versions.empty() && !same_family(semantics.values, type, newest_struct)) continue;
    if (versions.empty()) newest_struct = type;
    versions.push_back({&function, &entry, {{holder->name, type}}});
  }
  if (versions.empty()) versions.push_back({&function, &entry, {}});
  for (const auto& name : entry.chain) {
    if (name == function.name) continue;
    const Function* older = facts.function(name);
    const auto meaning = semantics.functions.find(name);
    if (!older || meaning == semantics.functions.end()) continue;
    if (auto v = older_version(facts, function, entry, newest_struct, semantics.values, *older, meaning->second))
      versions.push_back(*v);
  }
  return versions;
}

std::string struct_version(const Facts& facts, const MethodVersion& v) {
  for (const auto& [param, type] : v.structs)
    for (const auto& [macro, version] : facts.struct_versions)
      if (canonical(facts, version.structure) == type && !v.semantics->versions.empty())
        return std::to_string(version.version);
  return "0";
}

}  // namespace nvmlgen
