// The mutex of a block: shared between processes. If its owner dies, the next process gets it.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace nvmlkit::storage {

inline constexpr int kLongestWaitS = 3;  // for a writer that is stopped

// False when the system has no robust mutexes.
bool make_mutex(pthread_mutex_t& mutex);

// A mutex of another kind would not be given on when its owner dies. True where the C library does not show the kind.
bool is_robust(const pthread_mutex_t& mutex);

enum class Taken {
  yes,
  from_a_dead_owner,  // make_consistent() is to be called when the bytes are whole again
  no,                 // the owner is stopped
};

// Waits while other threads take their turns or the owner waits for a CPU; for an owner that is stopped it waits
// kLongestWaitS. `turns` counts how often the mutex was taken.
Taken take(pthread_mutex_t& mutex, std::atomic<std::uint64_t>& turns);
void make_consistent(pthread_mutex_t& mutex);
void release(pthread_mutex_t& mutex);

}  // namespace nvmlkit::storage
