#include "scenario/workload.hpp"

#include "recording/read.hpp"
#include "recording/shape.hpp"
#include "scenario/words.hpp"
#include "sim/config/read_file.hpp"
#include "sim/problem/names.hpp"
#include "sim/text/numbers.hpp"

namespace nvmlkit::scenario {

using namespace sim;

namespace {

constexpr std::size_t kMostSteps = 20'000;

struct Source {
  std::string path;
  std::optional<std::uint32_t> index;
};

// FILE, or FILE gpu=INDEX
Expected<Source> read_source(const std::string& text, const std::string& scenario_file) {
  const auto words = split_words(text);
  if (!words) return fail(words.error());
  constexpr std::string_view kGpu = "gpu=";
  Source out;
  const bool named = words->size() == 2 && words->back().starts_with(kGpu);
  if (named) out.index = text::number_of<std::uint32_t>(words->back().substr(kGpu.size()));
  if (words->empty() || words->size() > 2 || (words->size() == 2 && !out.index))
    return fail(wrong_value("FILE, or FILE gpu=INDEX for another GPU of it than the first", quote(text)));
  out.path = words->front();
  const auto folder = scenario_file.rfind('/');
  if (!out.path.starts_with('/') && folder != std::string::npos)
    out.path = scenario_file.substr(0, folder + 1) + out.path;
  return out;
}

Expected<std::uint32_t> gpu_of_source(const recording::Recording& recording, const Source& source) {
  for (std::size_t i = 0; i < recording.gpus.size(); ++i)
    if (!source.index || recording.gpus[i].index == source.index) return static_cast<std::uint32_t>(i);
  return fail(
      {.kind = ProblemKind::unknown_name, .what = quote(source.path) + " has no GPU " + std::to_string(*source.index)});
}

Expected<std::vector<recording::ShapeStep>> read_shape(const Source& source) {
  const auto text = config::read_file(source.path);
  if (!text) {  // the line of the scenario is at fault, which names the file
    auto problem = text.error();
    problem.place = {};
    problem.field = quote(source.path);
    return fail(std::move(problem));
  }
  recording::Recording recorded;
  if (const auto format = recording::read(source.path, *text, {}, recorded); !format) return fail(format.error());
  recording::put_in_order(recorded);
  const auto gpu = gpu_of_source(recorded, source);
  if (!gpu) return fail(gpu.error());
  auto shape = recording::shape_of(recorded, *gpu);
  if (shape.empty()) return fail(missing("utilization of a GPU in " + quote(source.path)));
  if (shape.size() > kMostSteps)
    return fail(impossible(quote(source.path) + " has " + std::to_string(shape.size()) +
                           " changes of utilization, more than " + std::to_string(kMostSteps)));
  return shape;
}

}  // namespace

Expected<std::vector<Step>> steps_of_workload(const Step& step, const std::string& scenario_file) {
  const auto source = read_source(step.from, scenario_file);
  if (!source) return fail(Problem(source.error()).at(step.place));
  const auto shape = read_shape(*source);
  if (!shape) {
    auto problem = shape.error();
    return fail(problem.place.file.empty() ? std::move(problem).at(step.place) : std::move(problem));
  }
  const bool fixed = !step.after && step.earliest_s == step.latest_s;
  std::vector<Step> out;
  for (const auto& change : *shape) {
    Step each = step;
    each.from.clear();
    const auto seconds = static_cast<double>(change.at_ms) / 1000;
    if (fixed) {
      each.earliest_s = each.latest_s = step.earliest_s + seconds;
    } else if (!out.empty()) {
      each.after = true;
      each.earliest_s = each.latest_s = seconds - static_cast<double>((*shape)[out.size() - 1].at_ms) / 1000;
    }
    Line line{{"load"}, false, 1, "load", step.place};
    for (const auto& word : change.words) {
      line.words.push_back(word);
      line.text += " " + word;
    }
    each.lines = {std::move(line)};
    out.push_back(std::move(each));
  }
  return out;
}

}  // namespace nvmlkit::scenario
