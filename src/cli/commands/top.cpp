// nvmlkit top
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/library.hpp"
#include "cli/machine.hpp"
#include "cli/state_files.hpp"
#include "cli/top_steering.hpp"
#include "sim/steering/time_words.hpp"
#include "top/run.hpp"
#include "top/terminal.hpp"

namespace nvmlkit::cli {
namespace {

constexpr const char* kIndex = "index";

struct TopOptions {
  MachineOptions machine;
  std::string library, interval = "1s", sort = kIndex, filter, size;
  std::optional<std::uint32_t> frames;
  bool once = false, batch = false, fold = false, unfold = false, ascii = false;
};

// What is looked at, while the view runs.
struct Subject {
  nvml::OpenOptions open;
  std::unique_ptr<top::Steering> steering;  // null: it cannot be steered
  RunFile state;                            // of a machine that was made for the view
};

// The state file of the machine that is meant; empty: it is no simulated one.
std::string state_of_subject(const TopOptions& options, Subject& subject) {
  if (const auto state = options.machine.state()) return *state;
  if (options.machine.given()) {
    subject.state = make_run_state(options.machine.choice().machine);
    return subject.state.path();
  }
  const auto usual = state_of_name(kDefaultName);
  return access(usual.c_str(), F_OK) == 0 ? usual : "";
}

Subject subject_of(const TopOptions& options) {
  Subject out;
  options.machine.export_all();
  out.open.load.path = options.library;
  if (!options.library.empty() && !options.machine.given()) return out;
  const auto state = state_of_subject(options, out);
  if (state.empty()) return out;
  setenv("NVMLKIT_STATE", state.c_str(), 1);
  if (options.library.empty()) out.open.load.path = checked_driver() / "libnvidia-ml.so.1";
  out.steering = steering_of(state);
  return out;
}

double interval_of(const std::string& text) {
  constexpr double kShortest = 0.05;
  const bool bare = text.find_first_not_of("0123456789.") == std::string::npos;
  auto seconds = sim::steering::read_seconds(bare ? text + "s" : text);
  if (seconds && *seconds >= kShortest) return *seconds;
  throw CommandError(of_argument(
      "--interval", seconds ? sim::wrong_value("at least 50ms", "'" + text + "'") : std::move(seconds.error())));
}

std::optional<top::Measure> sort_of(const std::string& word) {
  for (std::size_t i = 0; i < top::kMeasures; ++i)
    if (word == top::word_of(static_cast<top::Measure>(i))) return static_cast<top::Measure>(i);
  return std::nullopt;
}

std::vector<std::string> sort_words() {
  std::vector<std::string> out = {kIndex};
  for (std::size_t i = 0; i < top::kMeasures; ++i) out.emplace_back(top::word_of(static_cast<top::Measure>(i)));
  return out;
}

// COLUMNSxROWS, or COLUMNS alone for as many rows as are needed.
top::Size size_of(const std::string& text) {
  top::Size out{top::kUnlimitedRows, 100};
  if (text.empty()) return out;
  unsigned columns = 0, rows = 0;
  char rest = 0;
  const int found = std::sscanf(text.c_str(), "%ux%u%c", &columns, &rows, &rest);
  const bool whole = found == 2 || (found == 1 && text.find_first_not_of("0123456789") == std::string::npos);
  if (!whole || columns < 20 || columns > 1000 || (found == 2 && (rows < 5 || rows > 10000)))
    throw CommandError(
        of_argument("--size", sim::wrong_value("COLUMNSxROWS, as 80x24, at least 20x5", "'" + text + "'")));
  out.columns = columns;
  if (found == 2) out.rows = rows;
  return out;
}

top::View view_of(const TopOptions& options) {
  top::View out;
  out.interval = interval_of(options.interval);
  out.sort = sort_of(options.sort);
  out.filter_text = options.filter;
  out.filter = top::Filter(options.filter);
  if (options.fold) out.folding = top::Folding::folded;
  if (options.unfold) out.folding = top::Folding::unfolded;
  out.symbols.ascii = top::needs_ascii() || options.ascii;
  if (out.symbols.ascii) out.symbols.curves = top::Curves::ascii;
  return out;
}

sim::Problem problem_of(top::NoTerminal why) {
  const char* const hint = "--once or --batch prints text";
  switch (why) {
    case top::NoTerminal::not_built:
      return {.kind = sim::ProblemKind::impossible, .what = "built without ncurses", .hint = hint};
    case top::NoTerminal::no_terminal:
      return {.kind = sim::ProblemKind::impossible, .what = "input and output are not a terminal", .hint = hint};
    case top::NoTerminal::unknown:
      break;
  }
  return {.kind = sim::ProblemKind::impossible, .what = "TERM names no terminal that ncurses knows", .hint = hint};
}

bool colours_wanted() {
  const char* no = std::getenv("NO_COLOR");
  return no == nullptr || *no == 0;
}

// The problem of open_library() in one line.
nvml::Library open_in_one_line(const nvml::OpenOptions& options) {
  auto library = nvml::Library::open(options);
  if (library) return std::move(*library);
  auto line = explain(library.error());
  for (std::size_t at = 0; (at = line.find('\n', at)) != std::string::npos;) line.replace(at, 1, "; ");
  throw CommandError({.kind = sim::ProblemKind::missing, .what = line}, kFailed);
}

int show_top(const TopOptions& options) {
  const auto view = view_of(options);
  const auto size = size_of(options.size);
  auto subject = subject_of(options);
  top::Machine machine(open_in_one_line(subject.open), subject.open);
  if (options.once || options.batch) {
    top::Batch batch{std::nullopt, size};
    if (options.once) batch.frames = 1;
    if (options.frames) batch.frames = *options.frames;
    top::run_batch(machine, view, batch, [](const std::string& text) {
      return std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
    });
    return 0;
  }
  auto opened = top::open_terminal(colours_wanted());
  if (const auto* why = std::get_if<top::NoTerminal>(&opened)) throw CommandError(of_argument("top", problem_of(*why)));
  top::run(machine, view, subject.steering.get(), *std::get<std::unique_ptr<top::Terminal>>(opened));
  return 0;
}

Action declare_top(Arguments& arguments) {
  const auto options = std::make_shared<TopOptions>();
  arguments.option("--interval", Kind::text, options->interval, "Time between two frames, as 0.5, 500ms or 2s")
      .label("TIME")
      .default_text("1s");
  arguments.option("--sort", Kind::text, options->sort, "The order of the GPUs; the highest value first")
      .label("BY")
      .only(sort_words())
      .default_text(kIndex);
  arguments
      .option("--filter", Kind::text, options->filter,
              "Only GPUs for which all words hold: a text in name, bus ID or UUID, an index or a range, "
              "util>50, mem, power, temp or clock likewise, busy, throttled, lost")
      .label("WORDS");
  auto fold = arguments.flag("--fold", options->fold, "Begin with one line for each GPU");
  arguments.flag("--unfold", options->unfold, "Begin with all GPUs unfolded").excludes(fold);
  arguments.flag("--ascii", options->ascii, "Draw with ASCII characters only");
  arguments.option("--library", Kind::file, options->library, "The NVML library to ask")
      .default_text("the simulated driver for a machine that is up or that an option names, else the system's");
  arguments.section("Text instead of a terminal");
  auto once = arguments.flag("--once", options->once, "Print one frame");
  auto batch = arguments.flag("--batch", options->batch, "Print frames").excludes(once);
  arguments.option("--frames", options->frames, "How many frames").needs(batch).default_text("until it is ended");
  arguments.option("--size", Kind::text, options->size, "As on a screen of this size")
      .label("COLUMNS[xROWS]")
      .default_text("100 columns, as many rows as are needed");
  options->machine.declare(arguments);
  return [options] { return show_top(*options); };
}

}  // namespace

Command top_command() {
  return {.name = "top",
          .summary = "Watch the GPUs of a machine, real or simulated, on a terminal",
          .group = Group::real,
          .details =
              "Utilization, memory, power, temperature, clocks and what holds them back, traffic, errors, MIG devices "
              "and processes of each GPU. `?` shows the keys. On a simulated machine keys load, break and heal a "
              "GPU.\n\n"
              "Without options: the machine of NVMLKIT_STATE, else the machine of `nvmlkit up` without a name, else "
              "the GPUs of this computer. NO_COLOR is respected.",
          .examples = {{"nvmlkit top", "the machine that is up, or the GPUs of this computer"},
                       {"nvmlkit top -m h100 -n 4", "a machine to try it on"},
                       {"nvmlkit top --once --fold --sort temp", "one line for each GPU, the hottest first"},
                       {"nvmlkit top --batch --frames 10 --interval 5s", "for a log"}},
          .declare = declare_top};
}

}  // namespace nvmlkit::cli
