#include "cli/sanitize_suppressions.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>

#include "cli/command_error.hpp"
#include "cli/sanitize_report.hpp"
#include "sanitize/device_names.hpp"
#include "sanitize/text.hpp"
#include "sim/problem/names.hpp"

namespace nvmlkit::cli {
namespace {

using tinyxml2::XMLElement;

std::string text_of(const XMLElement* element) {
  const auto* const text = element ? element->GetText() : nullptr;
  return text ? text : "";
}

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw CommandError(sim::unusable_file(path, what));
}

}  // namespace

Suppressions::Suppressions(const std::string& path) {
  tinyxml2::XMLDocument document;
  if (document.LoadFile(path.c_str()) != tinyxml2::XML_SUCCESS) refuse(path, document.ErrorStr());
  const auto* const root = document.RootElement();
  if (!root || std::string(root->Name()) != "ComputeSanitizerOutput")
    refuse(path, "its root element is not ComputeSanitizerOutput, as in a file of --save with --xml yes");
  const auto add = [&](std::vector<Pattern>& to, const XMLElement* element) {
    const auto text = text_of(element);
    try {
      if (!text.empty()) to.emplace_back(text);
    } catch (const std::regex_error&) {
      refuse(path, "line " + std::to_string(element->GetLineNum()) + " is no regular expression");
    }
  };
  for (const auto* r = root->FirstChildElement("record"); r; r = r->NextSiblingElement("record")) {
    auto& record = records_.emplace_back();
    record.kind = text_of(r->FirstChildElement("kind"));
    record.level = text_of(r->FirstChildElement("level"));
    if (const auto* const what = r->FirstChildElement("what")) {
      add(record.text, what->FirstChildElement("text"));
      add(record.call, what->FirstChildElement("api"));
      add(record.result, what->FirstChildElement("result"));
    }
    for (const auto* w = r->FirstChildElement("where"); w; w = w->NextSiblingElement("where")) {
      auto& place = record.device.emplace_back();
      add(place.function, w->FirstChildElement("func"));
      add(place.path, w->FirstChildElement("path"));
      add(place.line, w->FirstChildElement("line"));
      add(place.offset, w->FirstChildElement("pc"));
    }
    const auto* const stack = r->FirstChildElement("hostStack");
    for (const auto* f = stack ? stack->FirstChildElement("frame") : nullptr; f; f = f->NextSiblingElement("frame")) {
      auto& place = record.host.emplace_back();
      add(place.function, f->FirstChildElement("func"));
      add(place.path, f->FirstChildElement("module"));
    }
  }
}

bool Suppressions::matches(const Record& record, const sanitize::Finding& f) {
  const auto is = [](const std::vector<Pattern>& patterns, const std::string& value) {
    return patterns.empty() || patterns[0].matches(value);
  };
  if (!record.kind.empty() && record.kind != xml_kind(f.kind)) return false;
  // The text of an access has its error behind it in files, and may be stated without.
  const auto title = sanitize::title(f);
  const bool is_text = is(record.text, title) || is(record.text, title + " is out of bounds") ||
                       is(record.text, title + " is misaligned");
  if (!is_text || !is(record.call, f.call)) return false;
  if (!record.result.empty() && !is(record.result, std::to_string(f.error))) return false;
  std::vector<const sanitize::DevicePlace*> places;
  if (!f.places.empty()) places.push_back(&f.places[0]);
  for (const auto& side : f.sides)
    if (!side.places.empty()) places.push_back(&side.places[0]);
  if (record.device.size() > places.size() || record.host.size() > f.host.size()) return false;
  for (std::size_t k = 0; k < record.device.size(); ++k) {
    const auto& wanted = record.device[k];
    if (!is(wanted.function, sanitize::device_name(places[k]->function)) || !is(wanted.path, places[k]->file) ||
        !is(wanted.line, std::to_string(places[k]->line)) ||
        !is(wanted.offset, fmt::format("0x{:x}", places[k]->offset)))
      return false;
  }
  for (std::size_t k = 0; k < record.host.size(); ++k)
    if (!is(record.host[k].function, sanitize::demangled(f.host[k].function)) ||
        !is(record.host[k].path, f.host[k].module))
      return false;
  return true;
}

bool Suppressions::hold(const sanitize::Finding& finding) const {
  if (finding.kind == sanitize::Kind::program_start) return false;
  return std::ranges::any_of(records_, [&](const Record& record) { return matches(record, finding); });
}

}  // namespace nvmlkit::cli
