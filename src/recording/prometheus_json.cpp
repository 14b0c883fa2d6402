// The answer to a range query or a query of Prometheus.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "recording/read.hpp"
#include "recording/series.hpp"
#include "sim/problem/names.hpp"
#include "sim/text/numbers.hpp"

namespace nvmlkit::recording {
namespace {

using Json = nlohmann::json;

Place place_of_byte(const std::string& file, std::string_view text, std::size_t byte) {
  const auto before = text.substr(0, std::min(byte, text.size()));
  const auto line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n') + 1);
  const auto start = before.rfind('\n');
  const auto column = start == std::string_view::npos ? before.size() : before.size() - start - 1;
  return {file, line, static_cast<std::uint32_t>(std::max<std::size_t>(column, 1))};
}

// Takes each series as soon as it is read, so that the whole never is in memory as JSON.
class SeriesTaker {
 public:
  SeriesTaker(const std::string& file, Recording& out) : file_(file), out_(out) {}

  // False: the object is a series, and need not be kept.
  bool take(const Json& object) {
    if (problem_ || !object.contains("metric")) return true;
    const auto& metric = object["metric"];
    if (!metric.is_object()) return true;
    ++number_;
    Series series;
    for (const auto& [key, value] : metric.items()) {
      if (!value.is_string()) continue;
      if (key == "__name__")
        series.name = value.get<std::string>();
      else
        series.labels.emplace_back(key, value.get<std::string>());
    }
    const auto target = target_of(series, out_);
    if (!target) return false;
    if (object.contains("value")) add(series, *target, object["value"]);
    if (object.contains("values") && object["values"].is_array())
      for (const auto& pair : object["values"]) add(series, *target, pair);
    return false;
  }

  std::optional<sim::Problem> problem() && { return std::move(problem_); }
  std::size_t number() const { return number_; }

 private:
  void add(const Series& series, const Target& target, const Json& pair) {
    const bool formed = pair.is_array() && pair.size() == 2 && pair[0].is_number() && pair[1].is_string();
    const auto seconds = formed ? pair[0].get<double>() : -1;
    const auto value = formed ? sim::text::number_of<double>(pair[1].get_ref<const std::string&>()) : std::nullopt;
    if (value && std::fabs(seconds) < 1e11)
      return out_.add(std::llround(seconds * 1000), target.gpu, *target.name, *value);
    const bool no_number = formed && (pair[1] == "NaN" || pair[1] == "+Inf" || pair[1] == "-Inf");
    if (no_number || problem_) return;
    problem_ = sim::Problem{
        .kind = sim::ProblemKind::syntax,
        .what = "series " + std::to_string(number_) + ", " + sim::quote(series.name) + ": expected [TIME, \"VALUE\"]",
        .given = sim::quote(pair.dump()),
        .place = {file_}};
  }

  const std::string& file_;
  Recording& out_;
  std::optional<sim::Problem> problem_;
  std::size_t number_ = 0;
};

}  // namespace

Expected<void> read_prometheus_json(const std::string& file, std::string_view text, Recording& out) try {
  constexpr int kDeepest = 16;
  out.dated = true;
  SeriesTaker taker(file, out);
  bool too_deep = false;
  const auto whole = Json::parse(text, [&](int depth, Json::parse_event_t event, Json& parsed) {
    too_deep |= depth > kDeepest;
    return !too_deep && (event != Json::parse_event_t::object_end || taker.take(parsed));
  });
  if (too_deep) return refuse_at({file}, "expected the answer of Prometheus to a query, got JSON of more levels");
  const auto read = taker.number();
  if (auto problem = std::move(taker).problem()) return sim::fail(std::move(*problem));
  if (whole.is_object() && whole.value("status", Json()) == "error")
    return refuse_at({file}, "Prometheus refused the query: " +
                                 sim::quote(whole.contains("error") ? whole["error"].dump() : "no reason"));
  if (read == 0)
    return refuse_at(
        {file}, "no series; expected data.result of a query of Prometheus",
        "save the answer of /api/v1/query_range?query={__name__=~\"DCGM_FI_.*\"}&start=...&end=...&step=30");
  return {};
} catch (const Json::parse_error& error) {
  return refuse_at(place_of_byte(file, text, error.byte), "expected JSON, as Prometheus answers a query");
} catch (const Json::exception&) {
  return refuse_at({file}, "expected the answer of Prometheus to a query");
}

}  // namespace nvmlkit::recording
