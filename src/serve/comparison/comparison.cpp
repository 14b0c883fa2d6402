#include "serve/comparison/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nvmlkit::serve {
namespace {

using Json = nlohmann::ordered_json;

double rounded(double value) { return std::round(value * 10) / 10; }

}  // namespace

Comparison::Comparison(std::shared_ptr<const Curves> curves, std::int64_t machine_us, std::int64_t from_ms)
    : curves_(std::move(curves)), begin_us_(machine_us), from_ms_(from_ms), at_ms_(from_ms) {
  for (const auto& curve : curves_->curves) deviations_.emplace_back(curve.gpus.size());
}

void Comparison::go_to(std::int64_t machine_us) { at_ms_ = from_ms_ + (machine_us - begin_us_) / 1000; }

const Curve* Comparison::find(std::string_view measure) const {
  const auto found = std::find_if(curves_->curves.begin(), curves_->curves.end(),
                                  [&](const Curve& each) { return each.measure == measure; });
  return found == curves_->curves.end() ? nullptr : &*found;
}

std::optional<double> Comparison::recorded(std::string_view measure, std::size_t gpu, std::optional<double> live) {
  const auto* const curve = find(measure);
  if (curve == nullptr || at_ms_ < 0 || at_ms_ > curves_->duration_ms) return std::nullopt;
  const auto out = value_at(curve->gpus[gpu], at_ms_);
  if (!out || !live) return out;
  auto& deviation = deviations_[static_cast<std::size_t>(curve - curves_->curves.data())][gpu];
  const auto distance = std::abs(*live - *out);
  ++deviation.count;
  deviation.sum += distance;
  deviation.largest = std::max(deviation.largest, distance);
  return out;
}

Json Comparison::status() const {
  auto deviations = Json::object();
  for (std::size_t i = 0; i < deviations_.size(); ++i) {
    auto mean = Json::array(), largest = Json::array();
    for (const auto& each : deviations_[i]) {
      mean.push_back(each.count == 0 ? Json() : Json(rounded(each.sum / static_cast<double>(each.count))));
      largest.push_back(each.count == 0 ? Json() : Json(rounded(each.largest)));
    }
    deviations[std::string(curves_->curves[i].measure)] = {{"mean", mean}, {"largest", largest}};
  }
  const bool over = at_ms_ > curves_->duration_ms;
  return {{"state", over ? "over" : "running"},
          {"name", curves_->name},
          {"format", curves_->format},
          {"duration_s", static_cast<double>(curves_->duration_ms) / 1000},
          {"at_s", static_cast<double>(std::min(at_ms_, curves_->duration_ms)) / 1000},
          {"deviations", deviations}};
}

}  // namespace nvmlkit::serve
