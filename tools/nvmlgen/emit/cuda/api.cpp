#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "emit/cuda/emitters.hpp"
#include "emit/cuda/text.hpp"
#include "registry/error.hpp"

namespace nvmlgen::cuda {
namespace {

std::string of_standard_library(const std::string& type) {
  if (type == "size_t" || type == "uint32_t" || type == "uint64_t") return "std::" + type;
  return type;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// Tags of the header as the names that api.hpp has.
std::string without_tags(const Registry& r, std::string text) {
  for (const auto& e : r.enums)
    if (!e.tag.empty()) text = replaced(text, "enum " + e.tag, e.name);
  for (const auto& s : r.structs)
    if (!s.tag.empty()) text = replaced(text, "struct " + s.tag, s.name);
  return text;
}

std::string enum_text(const Enum& e) {
  std::string out = fmt::format("enum {} : {} {{\n", e.name, e.underlying);
  for (const auto& [name, value] : e.values)
    out += e.underlying.starts_with("unsigned") ? fmt::format("  {} = {}u,\n", name, static_cast<std::uint32_t>(value))
                                                : fmt::format("  {} = {},\n", name, value);
  out += "};\n";
  for (const auto& alias : e.aliases) out += fmt::format("using {} = {};\n", alias, e.name);
  return out;
}

std::string struct_text(const Struct& s) {
  std::string out = fmt::format("struct {} {{\n", s.name), checks;
  for (const auto& f : s.fields) {
    std::string dims;
    for (const auto dim : f.dims) dims += fmt::format("[{}]", dim);
    out += fmt::format("  {}{};\n", declare(f.type, f.name), dims);
    checks += fmt::format("static_assert(offsetof({}, {}) == {});\n", s.name, f.name, f.offset);
  }
  return out + fmt::format("}};\nstatic_assert(sizeof({}) == {});\n", s.name, s.size) + checks;
}

// A struct with a union in it has no fields here, and what has such a struct in it cannot be defined either.
bool is_laid_out(const Registry& r, const Struct& s) {
  return !s.fields.empty() && std::all_of(s.fields.begin(), s.fields.end(), [&](const auto& f) {
    const auto* const inner = r.structure(f.type);
    return !inner || !inner->fields.empty();
  });
}

}  // namespace

std::string declare(const std::string& type, const std::string& name) {
  std::string words = type, stars;
  while (words.ends_with('*') || words.ends_with(' ')) {
    if (words.back() == '*') stars += '*';
    words.pop_back();
  }
  return fmt::format("{}{} {}", of_standard_library(words), stars, name);
}

std::vector<const Struct*> complete_structs(const Registry& r) {
  std::set<const Struct*> wanted;
  for (const auto& f : r.functions)
    for (const auto& p : f.params)
      if (const auto* s = r.structure(p.base()))
        if (!p.is_pointer() || (r.meaning(f).answer == Answer::code && is_laid_out(r, *s))) {
          if (s->fields.empty()) throw RegistryError("registry/cuda", f.name + " takes " + s->name + " by value");
          wanted.insert(s);
        }
  std::vector<const Struct*> out;
  for (const auto& s : r.structs)
    if (wanted.count(&s)) out.push_back(&s);
  return out;
}

std::string emit_api(const Registry& r) {
  std::string out = kBanner;
  out +=
      R"(// Types of the CUDA driver API. Names are the API's own, in our namespace, so that NVIDIA's header may stand beside it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nvmlkit::cuda {

)";
  for (const auto& [name, type] : r.typedefs)  // CUdeviceptr before what it is made of is no order of C++
    if (r.typedefs.end() ==
        std::find_if(r.typedefs.begin(), r.typedefs.end(), [&, t = type](const auto& o) { return o.first == t; }))
      out += fmt::format("using {} = {};\n", name, of_standard_library(type));
  for (const auto& [name, type] : r.typedefs)
    if (r.typedefs.end() !=
        std::find_if(r.typedefs.begin(), r.typedefs.end(), [&, t = type](const auto& o) { return o.first == t; }))
      out += fmt::format("using {} = {};\n", name, type);
  out += '\n';
  for (const auto& [name, tag] : r.handles) out += fmt::format("using {} = {}*;\n", name, tag);
  out += '\n';
  for (const auto& e : r.enums) out += enum_text(e);
  out += '\n';
  for (const auto& s : r.structs) {
    out += fmt::format("struct {};\n", s.name);
    for (const auto& alias : s.aliases) out += fmt::format("using {} = {};\n", alias, s.name);
  }
  out += '\n';
  for (const auto& [name, type] : r.callbacks) out += fmt::format("using {} = {};\n", name, without_tags(r, type));
  out += '\n';
  for (const auto* s : complete_structs(r)) out += struct_text(*s);
  return out + "\n}  // namespace nvmlkit::cuda\n";
}

std::string emit_header_check(const Registry& r) {
  std::string out = kBanner;
  out += R"(// Numbers of the registry beside those of NVIDIA's header.
#define __CUDA_API_VERSION_INTERNAL  // the types of old versions too
#include <cuda.h>

#if CUDA_VERSION < 13000
#error "cuda.h is older than the facts"
#endif

#include "driver/cuda/generated/api.hpp"

#define SAME(name) static_assert(static_cast<long long>(::name) == static_cast<long long>(nvmlkit::cuda::name))
#define SAME_SIZE(name) static_assert(sizeof(::name) == sizeof(nvmlkit::cuda::name))

)";
  for (const auto& e : r.enums)
    for (const auto& [name, value] : e.values) out += fmt::format("SAME({});\n", name);
  for (const auto& [name, tag] : r.handles) out += fmt::format("SAME_SIZE({});\n", name);
  for (const auto& [name, type] : r.typedefs) out += fmt::format("SAME_SIZE({});\n", name);
  for (const auto* s : complete_structs(r)) out += fmt::format("SAME_SIZE({});\n", s->name);
  return out;
}

}  // namespace nvmlgen::cuda
