#include "serve/machine/log.hpp"

#include "kernel_log/lines.hpp"
#include "serve/machine/wall_time.hpp"
#include "sim/events/names.hpp"
#include "sim/events/ring.hpp"

namespace nvmlkit::serve {
namespace {

constexpr std::size_t kMostMessages = 1000;

const char* name_of_level(kernel_log::Level level) {
  switch (level) {
    case kernel_log::Level::error:
      return "error";
    case kernel_log::Level::warning:
      return "warning";
    default:
      return "info";
  }
}

}  // namespace

void Log::keep(nlohmann::ordered_json& out, std::uint64_t uptime_us, const char* level, const std::string& text) {
  out.push_back({{"sequence", count_++}, {"time_ms", unix_ms_of(uptime_us)}, {"level", level}, {"text", text}});
  kept_.push_back(out.back());
  if (kept_.size() > kMostMessages) kept_.pop_front();
}

nlohmann::ordered_json Log::take() {
  auto out = nlohmann::ordered_json::array();
  sim::events::Published each{};
  while (sim::events::take(machine_->events(), place_, each)) {
    if (const auto record = kernel_log::record_of(*machine_, each))
      keep(out, record->uptime_us, name_of_level(record->level), record->text);
    else if (const auto name = sim::events::name_of(each.event.type); !name.empty())
      keep(out, each.uptime_us, "event", "GPU " + std::to_string(each.gpu) + ": event " + std::string(name));
  }
  return out;
}

nlohmann::ordered_json Log::all() const {
  auto out = nlohmann::ordered_json::array();
  for (const auto& each : kept_) out.push_back(each);
  return out;
}

}  // namespace nvmlkit::serve
