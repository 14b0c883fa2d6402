#include "capture/failing.hpp"

#include <map>
#include <optional>
#include <set>

#include "capture/compare.hpp"

namespace nvmlkit::capture {
namespace {

struct Verdict {
  std::optional<std::string> error;  // the same in all answers so far
  bool mixed = false;                // or not
  bool differs = false;              // from the machine of the file
};

// nvmlDeviceGetClockInfo(NVML_CLOCK_SM) -> nvmlDeviceGetClockInfo
std::string function_of(const std::string& question) { return question.substr(0, question.find_first_of("( ")); }

// The errors of an object that the file has to say, by function.
std::map<std::string, std::string> errors_of(const Object& object, const Object* twin) {
  std::map<std::string, Verdict> verdicts;
  for (const auto& [question, answer] : object.answers) {
    auto& verdict = verdicts[function_of(question)];
    const auto* there = twin ? twin->answer(question) : nullptr;
    verdict.differs = verdict.differs || there == nullptr || !same(answer, *there);
    const auto error = succeeded(&answer) ? std::string() : answer["error"].get<std::string>();
    verdict.mixed = verdict.mixed || error.empty() || (verdict.error && *verdict.error != error);
    verdict.error = error;
  }
  std::map<std::string, std::string> out;
  for (const auto& [function, verdict] : verdicts) {
    // A driver without the function says nothing; field values fail one by one.
    const bool silent = verdict.error == "FUNCTION_NOT_FOUND" || function == "nvmlDeviceGetFieldValues";
    if (verdict.differs && !verdict.mixed && !silent) out[function] = *verdict.error;
  }
  return out;
}

std::string item(const std::string& function, const std::string& error, std::optional<std::size_t> gpu) {
  FlowMap out;
  out.add("function", function);
  out.add("error", error);
  if (gpu) out.add("gpu", *gpu);
  return out.yaml();
}

}  // namespace

FlowList failing_functions(const Answers& real, const Answers& twin) {
  FlowList out;
  for (const auto& [function, error] : errors_of(real.machine(), counterpart(real.machine(), twin)))
    out.add(item(function, error, {}));
  const auto gpus = real.gpus();
  std::map<std::pair<std::string, std::string>, std::set<std::size_t>> failing;
  for (std::size_t i = 0; i < gpus.size(); ++i)
    for (const auto& [function, error] : errors_of(*gpus[i], counterpart(*gpus[i], twin)))
      failing[{function, error}].insert(i);
  for (const auto& [what, where] : failing) {
    if (where.size() == gpus.size())
      out.add(item(what.first, what.second, {}));
    else
      for (const auto gpu : where) out.add(item(what.first, what.second, gpu));
  }
  return out;
}

}  // namespace nvmlkit::capture
