#include "sim/problem/text.hpp"

#include "base/words.hpp"

namespace nvmlkit::sim {
namespace {

std::string field_of(const Problem& problem) {
  std::string out = problem.field;
  for (const auto& [item, key] : problem.part) {
    out.append("[").append(std::to_string(item)).append("]");
    if (!key.empty()) out.append(".").append(key);
  }
  return out;
}

// Whose field it is, as machine files and people name it; empty for the machine as a whole.
std::string path_of(const Problem& problem) {
  const auto field = field_of(problem);
  const auto below = [&](std::string owner, const char* separator) {
    return field.empty() ? owner : owner + separator + field;
  };
  switch (problem.owner.kind) {
    case Owner::Kind::machine:
      return field;
    case Owner::Kind::all_gpus:
      return below("device_defaults", ".");
    case Owner::Kind::gpu:
      return below("GPU " + std::to_string(problem.owner.gpu), ": ");
    case Owner::Kind::entry:
      return below("devices[" + std::to_string(problem.owner.entry) + "]", ".");
  }
  return field;
}

}  // namespace

std::string message_of(const Problem& problem) {
  if (problem.kind == ProblemKind::out_of_memory) return "out of memory";
  const auto path = path_of(problem);
  std::string out = problem.naming != Naming::before || path.empty() ? std::string() : path + ": ";
  out += words_of(problem.what);
  if (!words_of(problem.expected).empty()) {
    if (!words_of(problem.what).empty()) out += "; ";
    out.append("expected ").append(words_of(problem.expected));
  }
  if (!words_of(problem.given).empty()) out.append(", got ").append(words_of(problem.given));
  if (problem.naming == Naming::after && !path.empty()) out.append(" in ").append(path);
  if (!problem.nearest.empty()) out.append("; did you mean '").append(problem.nearest).append("'?");
  if (!words_of(problem.hint).empty()) out.append("; ").append(words_of(problem.hint));
  return out;
}

std::string text_of(const Problem& problem) {
  const auto place = problem.place.text();
  return place.empty() ? message_of(problem) : place + ": " + message_of(problem);
}

}  // namespace nvmlkit::sim
