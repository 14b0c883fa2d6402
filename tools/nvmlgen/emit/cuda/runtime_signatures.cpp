#include "emit/cuda/runtime_signatures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "emit/cuda/text.hpp"
#include "registry/error.hpp"

namespace nvmlgen::cuda {
namespace {

constexpr int kLibraries[] = {11, 12, 13};

int major_number(const std::string& version) { return std::stoi(version); }

bool has_major(const std::vector<std::string>& versions, int library) {
  return std::any_of(versions.begin(), versions.end(), [&](const auto& v) { return major_number(v) == library; });
}

// Our library of CUDA 12 is that of 12.9, which has functions that the headers of 12.4 lack and those of 13 have.
bool is_exported(const Runtime& runtime, const std::string& name, int library) {
  const auto at = runtime.exports.find(name);
  if (at == runtime.exports.end()) return false;
  return has_major(at->second, library) || (library == 12 && has_major(at->second, 13));
}

using Overloads = std::vector<const RuntimeFunction*>;

// The signature of a library: the one of its own headers, else that of older ones, else that of newer ones.
const RuntimeFunction* signature_in(const Overloads& overloads, int library) {
  const RuntimeFunction* older = nullptr;
  const RuntimeFunction* newer = nullptr;
  for (const auto* const f : overloads) {
    if (has_major(f->versions, library)) return f;
    if (major_number(f->versions.back()) < library)
      older = f;
    else if (!newer)
      newer = f;
  }
  return older ? older : newer;
}

std::string with_our_names(const Registry& r, const std::string& type) {
  std::string out;
  for (std::size_t at = 0; at < type.size();) {
    const auto end = std::min(type.find_first_of(" *", at), type.size());
    const auto word = type.substr(at, end - at);
    if (word == "unsigned") {  // "unsigned int" is one name
      const auto rest = type.substr(at);
      const auto* const name = rest.starts_with("unsigned int") ? "unsigned int" : "unsigned";
      const auto known = r.runtime.types.find(name);
      out += known == r.runtime.types.end() ? name : known->second;
      at += std::string(name).size();
      continue;
    }
    if (word != "struct" && word != "enum") {
      const auto known = r.runtime.types.find(word);
      out += known == r.runtime.types.end() ? word : known->second;
    }
    at = end;
    while (at < type.size() && (type[at] == ' ' || type[at] == '*')) {
      if (type[at] == '*' || (!out.empty() && word != "struct" && word != "enum")) out += type[at];
      ++at;
    }
  }
  return out;
}

}  // namespace

std::string RuntimeSignature::condition() const {
  if (libraries.size() == std::size(kLibraries)) return "";
  std::string out;
  if (*libraries.begin() > kLibraries[0]) out = fmt::format("NVMLKIT_CUDART_VERSION >= {}000", *libraries.begin());
  if (*libraries.rbegin() < 13)
    out += fmt::format("{}NVMLKIT_CUDART_VERSION < {}000", out.empty() ? "" : " && ", *libraries.rbegin() + 1);
  return out;
}

std::vector<RuntimeSignature> runtime_signatures(const Registry& r) {
  std::map<std::string, Overloads> functions;
  for (const auto* const list : {&r.runtime.functions, &r.runtime.undeclared})
    for (const auto& f : *list)
      if (!r.runtime.why_unsupported(f.name)) functions[f.name].push_back(&f);
  std::vector<RuntimeSignature> out;
  for (auto& [name, overloads] : functions) {
    std::sort(overloads.begin(), overloads.end(), [](const auto* a, const auto* b) {
      return major_number(a->versions.front()) < major_number(b->versions.front());
    });
    std::map<const RuntimeFunction*, std::set<int>> chosen;
    for (const int library : kLibraries)
      if (is_exported(r.runtime, name, library)) chosen[signature_in(overloads, library)].insert(library);
    for (const auto* const f : overloads)
      if (chosen.count(f)) out.push_back({f, chosen.at(f)});
  }
  return out;
}

std::string runtime_type(const Registry& r, const RuntimeParam& p) {
  auto out = with_our_names(r, p.type);
  for (auto at = out.find(" *"); at != std::string::npos; at = out.find(" *")) out.erase(at, 1);
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

std::string runtime_declaration(const Registry& r, const RuntimeFunction& f) {
  std::vector<std::string> params;
  for (const auto& p : f.params) params.push_back(runtime_type(r, p) + " " + p.name);
  auto name = f.name;
  for (const char* const suffix : {"_ptsz", "_ptds"})
    if (name.ends_with(suffix)) name.resize(name.size() - std::string(suffix).size());
  const auto known = r.runtime.returns.find(name);
  return fmt::format("{} {}({})", known == r.runtime.returns.end() ? "Error" : known->second, f.name,
                     fmt::join(params, ", "));
}

void Conditional::add(const std::string& condition, const std::string& text) {
  for (auto& [known, texts] : parts_)
    if (known == condition) {
      texts += text;
      return;
    }
  parts_.emplace_back(condition, text);
}

std::string Conditional::text() const {
  std::string out;
  for (const auto& [condition, texts] : parts_)
    out += condition.empty() ? texts + "\n" : fmt::format("#if {}\n{}#endif\n\n", condition, texts);
  return out;
}

}  // namespace nvmlgen::cuda
