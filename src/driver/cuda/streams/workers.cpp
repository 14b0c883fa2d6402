#include "driver/cuda/streams/workers.hpp"

#include <pthread.h>
#include <signal.h>

#include <chrono>

#include "base/never_destroyed.hpp"
#include "driver/cuda/sanitize/sanitizer.hpp"

namespace nvmlkit::cuda::workers {
namespace {

using schedule::Lock;
using namespace std::chrono_literals;

constexpr unsigned kMostThreads = 512, kMostIdle = 4;
constexpr std::int64_t kAwakeNs = 2'000'000;  // without any work

// Guarded by the lock of the schedule.
struct Workers {
  std::condition_variable idle, lookout;
  unsigned threads = 0, waiting = 0;
  bool has_lookout = false, is_asleep = false;  // the lookout
  bool is_wanted = false;                       // an idle worker, as the lookout
  bool is_starting = false;                     // a new one
};
Workers& all() {
  static NeverDestroyed<Workers> the;
  return *the;
}

// Until there is work to begin. It looks often where work was handed over lately, and seldom where work only waits.
std::shared_ptr<Stream> look_out(Lock& lock) {
  auto& w = all();
  w.has_lookout = true;
  std::shared_ptr<Stream> found;
  while (true) {
    const auto now = streams::now_ns();
    if ((found = schedule::ripe(now))) break;
    const auto age = now - schedule::last_handed_ns();
    if (schedule::has_pending()) {
      const auto pause = std::chrono::nanoseconds(age / 16);
      w.lookout.wait_for(lock, pause < 30us ? 30us : pause > 1ms ? std::chrono::nanoseconds(1ms) : pause);
    } else if (age < kAwakeNs) {
      w.lookout.wait_for(lock, 200us);
    } else {
      w.is_asleep = true;
      w.lookout.wait(lock);
      w.is_asleep = false;
    }
  }
  w.has_lookout = false;
  return found;
}

void drain(Lock& lock, Stream& stream) {
  while (schedule::is_next_due(stream)) schedule::run_next(lock, stream);
}

void* work(void*) {
  auto& w = all();
  auto lock = schedule::lock();
  w.is_starting = false;
  while (true) {
    if (const auto stream = schedule::ripe(streams::now_ns())) {
      drain(lock, *stream);
    } else if (!w.has_lookout) {
      const auto found = look_out(lock);
      drain(lock, *found);
    } else {
      if (w.waiting >= kMostIdle) break;
      ++w.waiting;
      w.idle.wait(lock, [&] { return w.is_wanted; });
      --w.waiting;
      w.is_wanted = false;
    }
  }
  --w.threads;
  return nullptr;
}

// Signals of the program are for its own threads. A function of the host may use memory that a sanitizer looks at.
bool start() {
  sigset_t every, before;
  sigfillset(&every);
  if (sanitizer::is_on()) {
    sigdelset(&every, SIGSEGV);
    sigdelset(&every, SIGTRAP);
  }
  pthread_sigmask(SIG_SETMASK, &every, &before);
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  const bool started = pthread_create(&thread, &detached, &work, nullptr) == 0;
  pthread_attr_destroy(&detached);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

}  // namespace

bool expect(Lock& lock) {
  auto& w = all();
  if (w.has_lookout) {
    if (w.is_asleep) hurry(lock);
    return true;
  }
  if (w.is_wanted || w.is_starting) return true;  // a worker is on the way
  if (w.waiting > 0) {
    w.is_wanted = true;
    w.idle.notify_one();
    return true;
  }
  if (w.threads >= kMostThreads || !start()) return w.threads > 0;
  ++w.threads;
  w.is_starting = true;
  return true;
}

void hurry(Lock&) {
  auto& w = all();
  if (w.has_lookout) w.lookout.notify_one();
}

}  // namespace nvmlkit::cuda::workers
