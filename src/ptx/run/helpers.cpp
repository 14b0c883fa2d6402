#include "ptx/run/helpers.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <csignal>

namespace nvmlkit::ptx {
namespace {

// Never destroyed: its threads may sleep in it while the process ends.
constinit std::atomic<Helpers*> known{nullptr};

}  // namespace

Helpers& Helpers::own() {
  if (auto* const there = known.load(std::memory_order_acquire)) return *there;
  static constinit std::atomic_flag watches_forks;
  if (!watches_forks.test_and_set()) pthread_atfork(nullptr, nullptr, [] { known.store(nullptr); });
  auto* made = new Helpers;
  Helpers* there = nullptr;
  if (known.compare_exchange_strong(there, made, std::memory_order_acq_rel)) return *made;
  delete made;
  return *there;
}

std::list<Helpers::Job>::iterator Helpers::find(const Work& work) {
  return std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& job) { return job.work == &work; });
}

// Signals of the program are for its own threads.
bool Helpers::start_thread() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const auto result = pthread_create(
      &thread, nullptr,
      [](void* of) -> void* {
        std::fesetenv(FE_DFL_ENV);
        static_cast<Helpers*>(of)->live();
        return nullptr;
      },
      this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (result != 0) return false;
  pthread_detach(thread);
  ++threads_;
  return true;
}

bool Helpers::lend(Work& work, unsigned threads) {
  const std::lock_guard lock(mutex_);
  while (threads_ < threads && start_thread()) {
  }
  threads = std::min(threads, threads_);
  if (threads == 0) return false;
  jobs_.push_back({&work, threads, 0});
  for (unsigned i = std::min(threads, idle_); i > 0; --i) wake_.notify_one();
  return true;
}

// Launches that have fewer helpers come first.
void Helpers::live() {
  std::unique_lock lock(mutex_);
  while (true) {
    auto chosen = jobs_.end();
    for (auto job = jobs_.begin(); job != jobs_.end(); ++job)
      if (job->wanted > 0 && (chosen == jobs_.end() || job->helping < chosen->helping)) chosen = job;
    if (chosen == jobs_.end()) {
      ++idle_;
      wake_.wait(lock);
      --idle_;
      continue;
    }
    --chosen->wanted;
    ++chosen->helping;
    lock.unlock();
    chosen->work->help();
    lock.lock();
    chosen->wanted = 0;
    if (--chosen->helping == 0) done_.notify_all();
  }
}

}  // namespace nvmlkit::ptx
