// What the library does with a call: it records or answers, as the environment asked when the process made its first.
#include <pthread.h>

#include <atomic>
#include <memory>
#include <mutex>

#include "driver/complain.hpp"
#include "driver/trace/pass.hpp"
#include "driver/trace/recorder.hpp"
#include "driver/trace/replayer.hpp"

namespace nvmlkit::trace {
namespace {

struct Library {
  std::unique_ptr<Recorder> recorder;
  std::unique_ptr<Replayer> replayer;
};

// Lives to the end of the process: programs call NVML from their exit handlers too.
std::atomic<Library*> g_library{nullptr};
std::mutex g_making;

void in_child() {
  Library* library = g_library.load();
  if (library && library->recorder) library->recorder->begin_anew();
}

Library* make_library() {
  const std::lock_guard lock(g_making);
  if (Library* made = g_library.load(std::memory_order_acquire)) return made;
  const Settings settings = Settings::of_environment();
  auto out = std::make_unique<Library>();
  if (!settings.replay.empty()) {
    out->replayer = std::make_unique<Replayer>(settings);
  } else {
    if (settings.folder.empty())
      driver::complain({.kind = sim::ProblemKind::missing,
                        .what = "this library records calls of NVML; set NVMLKIT_TRACE_RECORD to a folder, or use "
                                "`nvmlkit trace record`"});
    out->recorder = std::make_unique<Recorder>(settings);
    pthread_atfork(nullptr, nullptr, in_child);
  }
  g_library.store(out.get(), std::memory_order_release);
  return out.release();
}

Library& library() {
  Library* made = g_library.load(std::memory_order_acquire);
  return made ? *made : *make_library();
}

[[gnu::destructor]] void at_exit() {
  Library* made = g_library.load();
  if (made && made->recorder) made->recorder->close();
}

}  // namespace

Word on_call(std::size_t symbol, const Word* words) noexcept {
  const Library& own = library();
  return own.recorder ? own.recorder->on_call(symbol, words) : own.replayer->on_call(symbol, words);
}

Word on_slot(const SlotCall& call) noexcept {
  const Library& own = library();
  return own.recorder ? own.recorder->on_slot(call) : own.replayer->on_slot(call);
}

}  // namespace nvmlkit::trace
