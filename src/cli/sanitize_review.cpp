// Findings as SARIF, for pages of code review, and as JUnit, for CI.
#include <tinyxml2.h>

#include <nlohmann/json.hpp>
#include <set>

#include "cli/sanitize_report.hpp"
#include "sanitize/device_names.hpp"
#include "sanitize/text.hpp"

namespace nvmlkit::cli {
namespace {

using Json = nlohmann::ordered_json;
using sanitize::DevicePlace;
using sanitize::Finding;

std::string whole_text(const Finding& finding) {
  std::string out;
  for (const auto& line : sanitize::lines_of(finding, {.shows_host = false, .strips_paths = false})) out += line + '\n';
  return out;
}

Json location_of(const DevicePlace& place) {
  Json out;
  if (!place.file.empty())
    out["physicalLocation"] = {{"artifactLocation", {{"uri", place.file}}},
                               {"region", {{"startLine", std::max<std::uint64_t>(place.line, 1)}}}};
  out["logicalLocations"] =
      Json::array({{{"fullyQualifiedName", sanitize::device_name(place.function)}, {"kind", "function"}}});
  return out;
}

const char* level_of(const Finding& f) {
  return f.severity == sanitize::Severity::error     ? "error"
         : f.severity == sanitize::Severity::warning ? "warning"
                                                     : "note";
}

// The place that a finding stands at; null: it has none in device code.
const DevicePlace* first_place(const Finding& f) {
  if (!f.places.empty()) return &f.places[0];
  for (const auto& side : f.sides)
    if (!side.places.empty()) return &side.places[0];
  return nullptr;
}

Json result_of(const Finding& f) {
  Json out{{"ruleId", kind_name(f.kind)}, {"level", level_of(f)}, {"message", {{"text", whole_text(f)}}}};
  if (const auto* const place = first_place(f)) out["locations"] = Json::array({location_of(*place)});
  for (std::size_t k = f.places.empty() ? 1 : 0; k < f.sides.size(); ++k)
    if (!f.sides[k].places.empty()) out["relatedLocations"].push_back(location_of(f.sides[k].places[0]));
  out["occurrenceCount"] = f.count;
  return out;
}

}  // namespace

std::string sanitize_sarif(const std::vector<Finding>& findings) {
  auto results = Json::array(), rules = Json::array();
  std::set<std::string> known;
  for (const auto& f : findings) {
    results.push_back(result_of(f));
    if (known.insert(kind_name(f.kind)).second) rules.push_back({{"id", kind_name(f.kind)}});
  }
  const Json driver{{"name", "nvmlkit sanitize"}, {"version", NVMLKIT_VERSION}, {"rules", rules}};
  return Json{{"version", "2.1.0"},
              {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
              {"runs", Json::array({{{"tool", {{"driver", driver}}}, {"results", results}}})}}
             .dump(2) +
         '\n';
}

// One test for each finding, which fails; one that does not, if there is none.
std::string sanitize_junit(const std::vector<Finding>& findings, const std::string& program) {
  tinyxml2::XMLPrinter xml;
  xml.PushHeader(false, true);
  xml.OpenElement("testsuite");
  xml.PushAttribute("name", "nvmlkit sanitize");
  xml.PushAttribute("tests", static_cast<unsigned>(std::max<std::size_t>(findings.size(), 1)));
  xml.PushAttribute("failures", static_cast<unsigned>(findings.size()));
  for (std::size_t k = 0; k < std::max<std::size_t>(findings.size(), 1); ++k) {
    xml.OpenElement("testcase");
    xml.PushAttribute("classname", program.c_str());
    xml.PushAttribute("name", k < findings.size() ? sanitize::title(findings[k]).c_str() : "no findings");
    if (k < findings.size()) {
      xml.OpenElement("failure");
      xml.PushAttribute("type", kind_name(findings[k].kind));
      xml.PushAttribute("message", sanitize::title(findings[k]).c_str());
      xml.PushText(whole_text(findings[k]).c_str());
      xml.CloseElement();
    }
    xml.CloseElement();
  }
  xml.CloseElement();
  return xml.CStr();
}

}  // namespace nvmlkit::cli
