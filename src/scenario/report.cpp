#include "scenario/report.hpp"

#include <tinyxml2.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace nvmlkit::scenario {
namespace {

using Json = nlohmann::ordered_json;

std::string seconds(std::int64_t ns) {
  char out[40];
  std::snprintf(out, sizeof out, "%.3f", static_cast<double>(ns) / 1e9);
  return out;
}

bool is_failure(Outcome outcome) {
  return outcome == Outcome::failed || outcome == Outcome::not_reached || outcome == Outcome::interrupted;
}

std::string title_of(const Plan& plan, const Result& result) {
  const auto& step = plan.scenario().steps[result.step];
  auto out = title_of(step, result.step);
  if (step.every_s) out += ", round " + std::to_string(result.round + 1);
  return out;
}

std::string joined(const std::vector<std::string>& texts, const char* between) {
  std::string out;
  for (const auto& text : texts) out.append(out.empty() ? "" : between).append(text);
  return out;
}

}  // namespace

bool has_passed(const std::vector<Result>& results) {
  return std::none_of(results.begin(), results.end(), [](const auto& each) { return is_failure(each.outcome); });
}

std::string line_of(const Plan& plan, const Result& result) {
  char time[24];
  std::snprintf(time, sizeof time, "%10.3fs", static_cast<double>(result.ended_ns) / 1e9);
  std::string out = time;
  out.append("  ").append(name_of(result.outcome));
  out.append(13 - std::min<std::size_t>(name_of(result.outcome).size(), 12), ' ').append(title_of(plan, result));
  if (!result.did.empty()) out.append(": ").append(joined(result.did, "; "));
  if (!result.message.empty()) out.append(result.did.empty() ? ": " : "; ").append(result.message);
  return out;
}

std::string summary_of(const std::vector<Result>& results) {
  std::array<std::size_t, kOutcomes> counts{};
  for (const auto& each : results) ++counts[static_cast<std::size_t>(each.outcome)];
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < kOutcomes; ++i)
    if (counts[i] > 0 || i == 0)
      parts.push_back(std::to_string(counts[i]) + " " + std::string(name_of(static_cast<Outcome>(i))));
  return joined(parts, ", ");
}

Json as_json(const Plan& plan, const std::vector<Result>& results) {
  auto steps = Json::array();
  std::int64_t end_ns = 0;
  for (const auto& each : results) {
    end_ns = std::max(end_ns, each.ended_ns);
    steps.push_back({{"step", each.step + 1},
                     {"name", title_of(plan.scenario().steps[each.step], each.step)},
                     {"round", each.round + 1},
                     {"outcome", name_of(each.outcome)},
                     {"began_s", static_cast<double>(each.began_ns) / 1e9},
                     {"ended_s", static_cast<double>(each.ended_ns) / 1e9},
                     {"gpus", plan.steps()[each.step].gpus},
                     {"did", each.did},
                     {"message", each.message}});
  }
  return {{"scenario", plan.scenario().name},
          {"file", plan.scenario().file},
          {"seed", plan.scenario().seed},
          {"passed", has_passed(results)},
          {"duration_s", static_cast<double>(end_ns) / 1e9},
          {"steps", steps}};
}

std::string as_junit(const Plan& plan, const std::vector<Result>& results) {
  tinyxml2::XMLPrinter out;
  out.PushHeader(false, true);
  std::int64_t end_ns = 0;
  int failures = 0, skipped = 0;
  for (const auto& each : results) {
    end_ns = std::max(end_ns, each.ended_ns);
    failures += is_failure(each.outcome);
    skipped += each.outcome == Outcome::left_out || each.outcome == Outcome::elsewhere;
  }
  out.OpenElement("testsuites");
  out.OpenElement("testsuite");
  out.PushAttribute("name", plan.scenario().name.c_str());
  out.PushAttribute("tests", static_cast<int>(results.size()));
  out.PushAttribute("failures", failures);
  out.PushAttribute("skipped", skipped);
  out.PushAttribute("time", seconds(end_ns).c_str());
  for (const auto& each : results) {
    out.OpenElement("testcase");
    out.PushAttribute("classname", plan.scenario().name.c_str());
    out.PushAttribute("name", title_of(plan, each).c_str());
    out.PushAttribute("time", seconds(each.ended_ns - each.began_ns).c_str());
    if (is_failure(each.outcome) || each.outcome == Outcome::left_out || each.outcome == Outcome::elsewhere) {
      out.OpenElement(is_failure(each.outcome) ? "failure" : "skipped");
      const auto message = each.message.empty() ? std::string(name_of(each.outcome)) : each.message;
      out.PushAttribute("message", message.c_str());
      out.CloseElement();
    }
    if (!each.did.empty()) {
      out.OpenElement("system-out");
      out.PushText(joined(each.did, "\n").c_str());
      out.CloseElement();
    }
    out.CloseElement();
  }
  out.CloseElement();
  out.CloseElement();
  return std::string(out.CStr()) + "\n";
}

std::vector<std::string> describe(const Plan& plan) {
  std::vector<std::string> out;
  const auto& scenario = plan.scenario();
  for (std::size_t i = 0; i < scenario.steps.size(); ++i) {
    const auto& step = scenario.steps[i];
    const auto& planned = plan.steps()[i];
    std::string line = (step.after ? "after " : "at ") + seconds(planned.begin_ns) + "s  " + title_of(step, i);
    if (step.every_s)
      line += " (" + (step.rounds ? std::to_string(*step.rounds) + " times, every " : std::string("every ")) +
              seconds(static_cast<std::int64_t>(*step.every_s * 1e9)) + "s)";
    std::vector<std::string> parts;
    if (!planned.here) parts.emplace_back("not on this node");
    if (planned.here && step.only_if) parts.push_back("if " + step.only_if->text);
    if (planned.here && step.when) parts.push_back("when " + step.when->text);
    if (planned.here)
      for (const auto* each : plan.lines_of(i, 0)) {
        const auto words = plan.words_of(i, *each);
        parts.push_back(words.empty() ? each->text + " (no GPU was drawn)" : joined(words, " "));
      }
    if (planned.here)
      for (const auto& each : step.expect) parts.push_back("expect " + each.text);
    out.push_back(line + ": " + joined(parts, "; "));
  }
  return out;
}

}  // namespace nvmlkit::scenario
