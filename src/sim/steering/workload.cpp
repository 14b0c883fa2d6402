#include <optional>

#include "sim/problem/names.hpp"
#include "sim/state/clock.hpp"
#include "sim/steering/command.hpp"
#include "sim/steering/selector.hpp"
#include "sim/steering/time_words.hpp"
#include "sim/telemetry/change.hpp"
#include "sim/text/numbers.hpp"
#include "sim/transaction/change.hpp"

namespace nvmlkit::sim::steering {
namespace {

using model::Field;
using model::Gpu;

Expected<std::uint32_t> read_percent(std::string_view text) {
  std::string_view unit;
  const auto value = text::number_before<double>(text, unit);
  const bool known = unit.empty() || unit == "%";
  if (!value || !known || *value < 0 || *value > 100 || *value != static_cast<double>(static_cast<int>(*value)))
    return fail(wrong_value("a whole percentage from 0% to 100%", quote(text)));
  return static_cast<std::uint32_t>(*value);
}

struct Option {
  std::string_view name;
  Field<std::uint32_t> model::Workload::*share;
};
constexpr Option kOptions[] = {{"--memory", &model::Workload::memory},
                               {"--encoder", &model::Workload::encoder},
                               {"--decoder", &model::Workload::decoder},
                               {"--jpeg", &model::Workload::jpeg},
                               {"--ofa", &model::Workload::ofa}};

struct Load {
  model::Workload workload;  // none: the GPU has no workload any more
  double seconds = 0;
};

Expected<void> read_option(const std::string& name, const std::string& value, Load& out) {
  if (name == "--for") {
    const auto seconds = read_seconds(value);
    if (!seconds) return fail(seconds.error());
    out.seconds = *seconds;
    return {};
  }
  for (const auto& option : kOptions) {
    if (name != option.name) continue;
    const auto share = read_percent(value);
    if (!share) return fail(share.error());
    out.workload.*option.share = *share;
    return {};
  }
  return fail(unexpected_word(name));
}

Expected<Load> read_load(Words words) {
  Load out;
  if (words.empty()) return fail(missing("a percentage, such as 80%, or off"));
  if (words[0] == "off") {
    if (words.size() > 1) return fail({.kind = ProblemKind::contradiction, .what = "off takes no other option"});
    return out;
  }
  const auto share = read_percent(words[0]);
  if (!share) return fail(share.error());
  out.workload.gpu = *share;
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (i + 1 == words.size()) return fail(missing("a value after " + quote(words[i])));
    if (auto good = read_option(words[i], words[i + 1], out); !good) return fail(std::move(good.error()));
  }
  return out;
}

// `change(clock, real_ns)` returns what the clock becomes.
template <class Change>
Expected<void> set_clock(const Machine& machine, Change change) {
  const state::Lock lock(machine);
  if (!lock) return fail(transaction::refusal_of(lock));
  const auto& clock = machine.host().clock;
  if (!lock.replace(clock, change(clock, real_time_ns())))
    return fail({.kind = ProblemKind::unusable_file, .what = "the state file cannot grow"});
  return {};
}

}  // namespace

Expected<void> load(const Machine& machine, std::string_view gpus, Words words) {
  const auto wanted = read_load(words);
  if (!wanted) return fail(wanted.error());
  const auto places = select_gpus(machine, gpus);
  if (!places) return fail(places.error());
  return transaction::change_gpus(machine, *places, [&](Gpu& gpu, std::size_t) -> Expected<void> {
    if (wanted->workload.gpu)
      telemetry::load(gpu, wanted->workload, now_ns(machine), wanted->seconds);
    else
      telemetry::unload(gpu);
    return {};
  });
}

Expected<void> set_pace(const Machine& machine, double pace) {
  return set_clock(machine, [&](const Clock& clock, std::int64_t real_ns) { return clock.paced(real_ns, pace); });
}

Expected<void> advance_time(const Machine& machine, std::int64_t by_ns) {
  return set_clock(machine, [&](const Clock& clock, std::int64_t real_ns) { return clock.advanced(real_ns, by_ns); });
}

Expected<void> pass_time(const Machine& machine, Words words) {
  const std::string what = words.empty() ? "" : words[0];
  const bool advances = what == "advance";
  if (advances && words.size() < 2)
    return fail({.kind = ProblemKind::missing, .what = "advance by how much? For example: nvmlkit time advance 10s"});
  if (words.size() > (advances ? 2U : 1U))
    return fail({.kind = ProblemKind::contradiction, .what = "only advance takes a time"});
  if (advances) {
    const auto seconds = read_seconds(words[1]);
    return seconds ? advance_time(machine, static_cast<std::int64_t>(*seconds * 1e9)) : fail(seconds.error());
  }
  const auto pace = parse_pace(what);
  if (!pace) return fail(wrong_value(std::string(kPaceWords) + " or advance", quote(what)));
  return set_pace(machine, *pace);
}

}  // namespace nvmlkit::sim::steering
