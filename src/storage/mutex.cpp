#include "storage/mutex.hpp"

#include <cerrno>
#include <ctime>

#include "storage/process.hpp"

namespace nvmlkit::storage {
namespace {

constexpr int kMostRounds = 20;

// Does a thread hold the mutex that will not go on by itself, as far as the C library shows the owner? A mutex without
// an owner is on its way to a thread that has no CPU yet.
bool owner_is_stopped([[maybe_unused]] const pthread_mutex_t& mutex) {
#ifdef __GLIBC__
  const auto owner = [&] { return __atomic_load_n(&mutex.__data.__owner, __ATOMIC_RELAXED); };
  const auto first = owner();
  // One that has let go meanwhile may sleep for another reason.
  return first != 0 && !wants_to_run(static_cast<std::uint32_t>(first)) && owner() == first;
#else
  return true;
#endif
}

int lock_for_a_while(pthread_mutex_t& mutex) {
  timespec deadline{};
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += kLongestWaitS;
  return pthread_mutex_timedlock(&mutex, &deadline);
}

}  // namespace

bool make_mutex(pthread_mutex_t& mutex) {
  pthread_mutexattr_t attributes;
  if (pthread_mutexattr_init(&attributes) != 0) return false;
  const bool made = pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0 &&
                    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0 &&
                    pthread_mutex_init(&mutex, &attributes) == 0;
  pthread_mutexattr_destroy(&attributes);
  return made;
}

bool is_robust([[maybe_unused]] const pthread_mutex_t& mutex) {
#ifdef __GLIBC__
  pthread_mutex_t fresh{};
  return make_mutex(fresh) && mutex.__data.__kind == fresh.__data.__kind;
#else
  return true;
#endif
}

// The mutex is not fair: with many writers, one may wait long although none is stopped.
Taken take(pthread_mutex_t& mutex, std::atomic<std::uint64_t>& turns) {
  for (int rounds_without_a_turn = 0; rounds_without_a_turn < kMostRounds; ++rounds_without_a_turn) {
    const auto before = turns.load(std::memory_order_relaxed);
    const int result = lock_for_a_while(mutex);
    if (result == 0 || result == EOWNERDEAD) {
      turns.fetch_add(1, std::memory_order_relaxed);
      return result == 0 ? Taken::yes : Taken::from_a_dead_owner;
    }
    if (result != ETIMEDOUT) return Taken::no;
    const bool stopped = owner_is_stopped(mutex);
    // Without a turn it is the same owner all the time, and not one who slept between two turns.
    if (turns.load(std::memory_order_relaxed) != before)
      rounds_without_a_turn = 0;
    else if (stopped)
      return Taken::no;
  }
  return Taken::no;
}

void make_consistent(pthread_mutex_t& mutex) { pthread_mutex_consistent(&mutex); }

void release(pthread_mutex_t& mutex) { pthread_mutex_unlock(&mutex); }

}  // namespace nvmlkit::storage
