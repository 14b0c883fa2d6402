// What the words of a process command mean.
#include <algorithm>
#include <iterator>
#include <limits>

#include "sim/problem/names.hpp"
#include "sim/processes/kinds.hpp"
#include "sim/steering/options.hpp"
#include "sim/steering/process.hpp"
#include "sim/text/amounts.hpp"
#include "sim/text/numbers.hpp"

namespace nvmlkit::sim::steering {
namespace {

constexpr std::string_view kProcessVerbs[] = {"start", "end"};
constexpr std::string_view kProcessOptions[] = {"--memory", "--sm", "--type", "--gi", "--ci", "--pid"};

Expected<std::uint32_t> read_pid(std::string_view text) {
  const auto pid = text::number_of<std::uint32_t>(text);
  if (pid && *pid > 0 && *pid <= static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max())) return *pid;
  return fail(wrong_value("a PID", quote(text)));
}

Expected<void> read_name(const std::string& text, std::string& out) {
  constexpr auto kMost = decltype(processes::Client::name)::max_size();
  if (text.empty() || text == "all" || text::number_of<std::uint64_t>(text) || text.size() > kMost)
    return fail(wrong_value("the name of a program, such as train.py", quote(text)));
  out = text;
  return {};
}

// Of start.
Expected<void> read_use(const Options& options, processes::Request& out) {
  if (const auto* text = options.find("--memory")) {
    const auto bytes = text::bytes_of(*text);
    if (!bytes) return fail(wrong_value("bytes, or a number with KiB, MiB or GiB, after --memory", quote(*text)));
    out.memory_bytes = *bytes;
  }
  if (const auto* text = options.find("--sm")) {
    const auto percent = text::percent_of(*text);
    if (!percent) return fail(wrong_value("a whole percentage from 0% to 100% after --sm", quote(*text)));
    out.load_percent = static_cast<std::uint16_t>(*percent);
    out.share = std::max(*percent, 1U);
  }
  if (const auto* text = options.find("--type")) {
    const auto kinds = processes::kinds_of(*text);
    if (!kinds) return fail(wrong_value(std::string(processes::kKindWords) + " after --type", quote(*text)));
    out.kinds = *kinds;
  }
  return {};
}

// A MIG device; without --ci its first compute instance.
Expected<void> read_place(const Options& options, processes::Request& out) {
  const auto *gi = options.find("--gi"), *ci = options.find("--ci");
  if (gi == nullptr && ci != nullptr) return fail(missing("--gi beside --ci"));
  if (gi == nullptr) return {};
  const auto instance = text::number_of<std::uint32_t>(*gi);
  if (!instance) return fail(wrong_value("the id of a GPU instance after --gi", quote(*gi)));
  const auto compute = ci ? text::number_of<std::uint32_t>(*ci) : 0U;
  if (!compute) return fail(wrong_value("the id of a compute instance after --ci", quote(*ci)));
  out.gpu_instance = *instance;
  out.compute_instance = *compute;
  return {};
}

Expected<void> read_start(const Options& options, ProcessCommand& out) {
  if (options.plain.size() != 1) return fail(missing("one name of a program, such as train.py"));
  auto good = read_name(options.plain[0], out.name);
  if (good) good = read_use(options, out.request);
  if (good) good = read_place(options, out.request);
  const auto* pid = options.find("--pid");
  if (!good || pid == nullptr) return good;
  const auto number = read_pid(*pid);
  if (!number) return fail(number.error());
  out.request.pid = *number;
  return {};
}

Expected<void> read_end(const Options& options, ProcessCommand& out) {
  if (options.plain.size() != 1) return fail(missing("one PID, name of a program, or all"));
  const auto& word = options.plain[0];
  if (word == "all") {
    out.name = word;
    return {};
  }
  if (!text::number_of<std::uint64_t>(word)) return read_name(word, out.name);
  const auto pid = read_pid(word);
  if (!pid) return fail(pid.error());
  out.pid = *pid;
  return {};
}

}  // namespace

std::span<const std::string_view> process_verbs() { return kProcessVerbs; }

Expected<ProcessCommand> read_process(std::span<const std::string> words) {
  if (words.empty()) return fail(missing("start or end after process"));
  const auto verb = std::find(std::begin(kProcessVerbs), std::end(kProcessVerbs), words[0]);
  if (verb == std::end(kProcessVerbs)) return fail(unknown_name("verb of process", words[0], kProcessVerbs));
  if (words.size() < 2) return fail(missing("the GPUs, for example process " + words[0] + " gpu=0"));
  ProcessCommand out;
  out.verb = static_cast<ProcessVerb>(verb - std::begin(kProcessVerbs));
  out.gpus = words[1];
  const bool starts = out.verb == ProcessVerb::start;
  const auto options = read_options(words.subspan(2), starts ? std::span<const std::string_view>(kProcessOptions)
                                                             : std::span<const std::string_view>());
  if (!options) return fail(options.error());
  auto good = starts ? read_start(*options, out) : read_end(*options, out);
  return good ? Expected<ProcessCommand>(std::move(out)) : fail(std::move(good.error()));
}

}  // namespace nvmlkit::sim::steering
