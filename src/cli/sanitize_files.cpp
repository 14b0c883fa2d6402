// Findings as XML, in the form of NVIDIA's compute-sanitizer, and as JSON.
#include <fmt/format.h>
#include <tinyxml2.h>

#include <nlohmann/json.hpp>

#include "cli/sanitize_report.hpp"
#include "sanitize/device_names.hpp"
#include "sanitize/text.hpp"

namespace nvmlkit::cli {
namespace {

using Json = nlohmann::ordered_json;
using sanitize::Finding;

}  // namespace

const char* kind_name(sanitize::Kind kind) {
  switch (kind) {
    case sanitize::Kind::out_of_bounds:
      return "out_of_bounds";
    case sanitize::Kind::misaligned:
      return "misaligned";
    case sanitize::Kind::uninitialized:
      return "uninitialized";
    case sanitize::Kind::bad_free:
      return "bad_free";
    case sanitize::Kind::kernel_error:
      return "kernel_error";
    case sanitize::Kind::call_error:
      return "call_error";
    case sanitize::Kind::leak:
      return "leak";
    case sanitize::Kind::barrier:
      return "barrier";
    case sanitize::Kind::deadlock:
      return "deadlock";
    case sanitize::Kind::race:
      return "race";
    case sanitize::Kind::host_access:
      return "host_access";
    case sanitize::Kind::unused_memory:
      return "unused_memory";
    case sanitize::Kind::program_start:
      break;
  }
  return "";
}

const char* xml_kind(sanitize::Kind kind) {
  return kind == sanitize::Kind::call_error      ? "Api"
         : kind == sanitize::Kind::leak          ? "Leak"
         : kind == sanitize::Kind::uninitialized ? "Initcheck"
         : kind == sanitize::Kind::host_access   ? "Initcheck"
         : kind == sanitize::Kind::unused_memory ? "Initcheck"
         : kind == sanitize::Kind::barrier       ? "Synccheck"
         : kind == sanitize::Kind::deadlock      ? "Synccheck"
         : kind == sanitize::Kind::race          ? "Racecheck"
                                                 : "Precise";
}

namespace {

void add(tinyxml2::XMLPrinter& xml, const char* name, const std::string& text) {
  xml.OpenElement(name);
  xml.PushText(text.c_str());
  xml.CloseElement();
}

void add_axes(tinyxml2::XMLPrinter& xml, const char* name, const std::uint64_t (&at)[3]) {
  constexpr const char* kAxes[] = {"x", "y", "z"};
  xml.OpenElement(name);
  for (int k = 0; k < 3; ++k) add(xml, kAxes[k], std::to_string(at[k]));
  xml.CloseElement();
}

// Of a finding, or of one of its accesses.
template <class Of>
void add_who(tinyxml2::XMLPrinter& xml, const Of& f) {
  if (f.places.empty()) return;
  xml.OpenElement("who");
  add_axes(xml, "threadIdx", f.thread);
  add_axes(xml, "blockIdx", f.block);
  xml.CloseElement();
}

template <class Of>
void add_where(tinyxml2::XMLPrinter& xml, const Of& f) {
  if (f.places.empty()) return;
  const auto& place = f.places[0];
  xml.OpenElement("where");
  add(xml, "func", sanitize::device_name(place.function));
  if (!place.file.empty()) {
    add(xml, "path", place.file);
    add(xml, "line", std::to_string(place.line));
  }
  add(xml, "pc", fmt::format("0x{:x}", place.offset));
  xml.CloseElement();
}

void add_stack(tinyxml2::XMLPrinter& xml, const std::vector<sanitize::HostFrame>& frames) {
  if (frames.empty()) return;
  xml.OpenElement("hostStack");
  for (const auto& frame : frames) {
    xml.OpenElement("frame");
    if (!frame.function.empty()) add(xml, "func", sanitize::demangled(frame.function));
    if (!frame.file.empty()) {
      add(xml, "path", frame.file);
      add(xml, "line", std::to_string(frame.line));
    }
    add(xml, "pc", fmt::format("0x{:x}", frame.offset));
    add(xml, "module", frame.module);
    xml.CloseElement();
  }
  xml.CloseElement();
}

// An error of an access stands behind its text, as in NVIDIA's files.
void add_what(tinyxml2::XMLPrinter& xml, const Finding& f) {
  constexpr const char* kSpaces[] = {"", "__global__", "__shared__", "__local__", "__constant__"};
  constexpr const char* kDirections[] = {"", "read", "write", "atomic"};
  const bool is_misaligned = f.kind == sanitize::Kind::misaligned;
  const bool is_bad = is_misaligned || f.kind == sanitize::Kind::out_of_bounds;
  add(xml, "text", sanitize::title(f) + (is_misaligned ? " is misaligned" : is_bad ? " is out of bounds" : ""));
  if (is_bad) add(xml, "space", kSpaces[static_cast<std::size_t>(f.place)]);
  if (f.size) add(xml, "size", std::to_string(f.size));
  if (is_bad) {
    add(xml, "direction", kDirections[static_cast<std::size_t>(f.touch)]);
    add(xml, "error", is_misaligned ? "misaligned" : "out of bounds");
  }
  if (f.address != 0 && !f.places.empty()) add(xml, "address", fmt::format("0x{:x}", f.address));
  if (f.kind != sanitize::Kind::call_error) return;
  add(xml, "api", f.call);
  add(xml, "error", f.error_name);
  add(xml, "message", f.text);
  add(xml, "result", std::to_string(f.error));
}

const char* level_name(sanitize::Severity severity) {
  return severity == sanitize::Severity::error ? "Error" : severity == sanitize::Severity::warning ? "Warning" : "Info";
}

Json json_of(const std::vector<sanitize::HostFrame>& frames) {
  auto out = Json::array();
  for (const auto& frame : frames) {
    out.push_back(
        {{"function", sanitize::demangled(frame.function)}, {"offset", frame.offset}, {"module", frame.module}});
    if (frame.file.empty()) continue;
    out.back()["file"] = frame.file;
    out.back()["line"] = frame.line;
  }
  return out;
}

constexpr const char* kTouches[] = {"", "read", "write", "atomic"};

Json json_of(const std::vector<sanitize::DevicePlace>& places) {
  auto out = Json::array();
  for (const auto& p : places)
    out.push_back({{"function", sanitize::device_name(p.function)},
                   {"offset", p.offset},
                   {"file", p.file},
                   {"line", p.line},
                   {"ptx_line", p.ptx_line},
                   {"ptx", p.instruction}});
  return out;
}

Json json_of(const sanitize::Side& side) {
  Json out{{"thread", side.thread}, {"block", side.block}, {"places", json_of(side.places)}};
  if (!side.text.empty()) out["text"] = side.text;
  if (side.touch != sanitize::Touch::none) out["access"] = kTouches[static_cast<std::size_t>(side.touch)];
  if (!side.kernel.empty()) out["kernel"] = sanitize::device_name(side.kernel);
  return out;
}

Json json_of(const Finding& f) {
  constexpr const char* kPlaces[] = {"", "global", "shared", "local", "constant"};
  constexpr const char* kRelations[] = {"", "before", "after", "inside", "inside_freed"};
  Json out{{"kind", kind_name(f.kind)}, {"text", sanitize::title(f)}, {"count", f.count}, {"process", f.process}};
  if (!f.kernel.empty()) out["kernel"] = sanitize::device_name(f.kernel);
  if (!f.places.empty()) {
    out["memory"] = kPlaces[static_cast<std::size_t>(f.place)];
    out["access"] = kTouches[static_cast<std::size_t>(f.touch)];
    out["thread"] = f.thread;
    out["block"] = f.block;
    out["places"] = json_of(f.places);
  }
  if (f.kind == sanitize::Kind::race) {
    out["severity"] = level_name(f.severity);
    out["memory"] = kPlaces[static_cast<std::size_t>(f.place)];
  }
  if (!f.text.empty() && f.kind != sanitize::Kind::call_error) out["reason"] = f.text;
  for (const auto& side : f.sides) out["sides"].push_back(json_of(side));
  if (f.size) out["size"] = f.size;
  if (f.address) out["address"] = f.address;
  if (const auto& n = f.nearest; n.relation != sanitize::Nearest::Relation::none)
    out["nearest"] = {{"relation", kRelations[static_cast<std::size_t>(n.relation)]},
                      {"distance", n.distance},
                      {"start", n.start},
                      {"size", n.size},
                      {"variable", n.variable},
                      {"allocated", json_of(n.allocated)},
                      {"freed", json_of(n.freed)}};
  if (f.kind == sanitize::Kind::call_error) {
    out["call"] = f.call;
    out["error"] = f.error;
    out["error_name"] = f.error_name;
  }
  out["host"] = json_of(f.host);
  if (!f.seeds.empty()) out["seeds"] = f.seeds;
  return out;
}

}  // namespace

std::string sanitize_xml(const std::vector<Finding>& findings) {
  tinyxml2::XMLPrinter xml;
  xml.PushHeader(false, true);
  xml.OpenElement("ComputeSanitizerOutput");
  for (const auto& f : findings) {
    xml.OpenElement("record");
    add(xml, "kind", xml_kind(f.kind));
    add(xml, "level", level_name(f.severity));
    add_who(xml, f);
    xml.OpenElement("what");
    add_what(xml, f);
    xml.CloseElement();
    add_where(xml, f);
    for (const auto& side : f.sides) {
      add_who(xml, side);
      add_where(xml, side);
    }
    add_stack(xml, f.host);
    xml.CloseElement();
  }
  xml.CloseElement();
  return xml.CStr();
}

std::string sanitize_json(const std::vector<Finding>& findings) {
  std::uint64_t errors = 0;
  auto all = Json::array();
  for (const auto& f : findings) {
    all.push_back(json_of(f));
    errors += f.count;
  }
  return Json{{"errors", errors}, {"findings", std::move(all)}}.dump(2) + '\n';
}

}  // namespace nvmlkit::cli
