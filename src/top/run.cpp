#include "top/run.hpp"

#include <langinfo.h>

#include <algorithm>
#include <chrono>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

#include "top/draw.hpp"
#include "top/keys.hpp"
#include "top/layout.hpp"

namespace nvmlkit::top {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// What comes and goes between two polls makes rates: traffic, for one.
constexpr milliseconds kFirstRates{200};

milliseconds interval_of(const View& view) { return milliseconds(static_cast<std::int64_t>(view.interval * 1000)); }

}  // namespace

bool needs_ascii() {
  std::setlocale(LC_CTYPE, "");
  const char* terminal = std::getenv("TERM");
  return std::string_view(nl_langinfo(CODESET)) != "UTF-8" ||
         (terminal != nullptr && std::string_view(terminal) == "linux");
}

void run(Machine& machine, View view, Steering* steering, Terminal& terminal) {
  view.can_steer = steering != nullptr;
  std::uint64_t frame = 0;
  auto next = Clock::now();
  Layout layout;
  bool poll = true;
  while (true) {
    const auto now = Clock::now();
    const bool due = now >= next;
    if (due) {
      if (!view.paused) machine.begin(++frame);
      next = std::max(next + interval_of(view), now);
    }
    const auto rows = list_rows(machine, view, terminal.size());
    layout = (poll || due) && !view.paused ? poll_visible(machine, view, rows) : lay_out(machine, view, rows);
    terminal.show(draw({machine, view, layout, steering}, terminal.size()));
    const auto left = std::chrono::ceil<milliseconds>(next - Clock::now());
    const auto input = terminal.wait(std::clamp(left, milliseconds(0), interval_of(view)));
    Desk desk{machine, view, steering, rows};
    const auto before = view.interval;
    const auto action = press(input, desk);
    if (action == Action::quit) return;
    poll = action == Action::poll;
    if (view.interval != before) next = std::min(next, Clock::now() + interval_of(view));
    // What was steered shows at once.
    if (poll && !view.message.empty() && !view.paused) machine.begin(++frame);
  }
}

void run_batch(Machine& machine, View view, const Batch& batch, const std::function<bool(const std::string&)>& write) {
  auto next = Clock::now();
  std::uint64_t frame = 0;
  const auto poll = [&] {
    machine.begin(++frame);
    return poll_visible(machine, view, list_rows(machine, view, batch.size));
  };
  poll();
  std::this_thread::sleep_for(std::min(kFirstRates, interval_of(view)));
  for (std::uint64_t done = 0; !batch.frames || done < *batch.frames; ++done) {
    if (done > 0) std::this_thread::sleep_until(next);
    next += interval_of(view);
    const auto layout = poll();
    std::string text = done > 0 ? "\n" : "";
    for (const auto& line : draw({machine, view, layout, nullptr}, batch.size)) text += line.text() + "\n";
    if (!write(text)) return;
  }
}

}  // namespace nvmlkit::top
