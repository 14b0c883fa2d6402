#include "ptx/compile/queue.hpp"

#include <pthread.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "ptx/compile/compiled.hpp"

namespace nvmlkit::ptx {
namespace {

// More is not begun before some of it is done: by then it may be of no use any more.
constexpr std::size_t kMostJobs = 32;
// LLVM needs less than a second for a piece, and on rare ones it never ends.
constexpr auto kPatience = std::chrono::seconds(5);
// Most pieces take less.
constexpr auto kLastPatience = std::chrono::milliseconds(250);

std::atomic<CompileQueue*> known{nullptr};

}  // namespace

CompileQueue& CompileQueue::own() {
  auto* queue = known.load();
  if (queue) return *queue;
  static std::atomic_flag watches_forks = ATOMIC_FLAG_INIT;
  if (!watches_forks.test_and_set()) pthread_atfork(nullptr, nullptr, [] { known.store(nullptr); });
  auto* const made = new CompileQueue;
  if (known.compare_exchange_strong(queue, made)) return *made;
  delete made;
  return *queue;
}

void CompileQueue::add(CompileJob job) {
  const std::scoped_lock lock(mutex_);
  if (jobs_.size() >= kMostJobs || (!has_thread_ && !start_thread())) {
    job.compiled->give_up(job.at, job.warp);
    return;
  }
  jobs_.push_back(std::move(job));
  wake_.notify_one();
}

// Signals are for the threads of the program.
bool CompileQueue::start_thread() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([this] { live(); }).detach();
    has_thread_ = true;
  } catch (const std::exception&) {
    has_thread_ = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return has_thread_;
}

void CompileQueue::live() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (jobs_.empty() || is_ending_) {
      wake_.wait(lock);
      continue;
    }
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    busy_with_ = job.compiled;
    lock.unlock();
    job.warp.registers = job.registers.data();
    job.warp.special = job.special.data();
    job.warp.params = job.params.data();
    job.warp.varied = job.varied.empty() ? nullptr : job.varied.data();
    job.compiled->make(job.at, job.warp);
    lock.lock();
    busy_with_ = nullptr;
    done_.notify_all();
  }
}

void CompileQueue::end() {
  auto* const queue = known.load();
  if (!queue) return;
  std::unique_lock lock(queue->mutex_);
  queue->is_ending_ = true;
  queue->done_.wait_for(lock, kLastPatience, [&] { return queue->busy_with_ == nullptr; });
}

bool CompileQueue::forget(const Compiled& compiled) {
  std::unique_lock lock(mutex_);
  std::erase_if(jobs_, [&](const auto& job) { return job.compiled == &compiled; });
  return done_.wait_for(lock, kPatience, [&] { return busy_with_ != &compiled; });
}

}  // namespace nvmlkit::ptx
