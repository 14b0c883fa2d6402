#include "libraries/nccl/turn.hpp"

#include <chrono>

namespace nvmlkit::nccl {

constexpr auto kTurnPause = std::chrono::milliseconds(10);

std::uint64_t Turn::draw() {
  const std::lock_guard lock(mutex_);
  return drawn_++;
}

bool Turn::take(const Ticket& ticket, const std::function<bool()>& is_over) {
  std::unique_lock lock(mutex_);
  while (is_busy_ || (ticket && *ticket != served_)) {
    moved_.wait_for(lock, kTurnPause);
    lock.unlock();
    if (is_over()) return false;
    lock.lock();
  }
  is_busy_ = true;
  return true;
}

void Turn::pass(const Ticket& ticket) {
  const std::lock_guard lock(mutex_);
  is_busy_ = false;
  if (ticket) {
    ++served_;
    skip();
  }
  moved_.notify_all();
}

void Turn::give_up(std::uint64_t ticket) {
  const std::lock_guard lock(mutex_);
  given_up_.insert(ticket);
  skip();
  moved_.notify_all();
}

void Turn::skip() {
  while (given_up_.erase(served_) > 0) ++served_;
}

void Turn::wait_for_all(const std::function<bool()>& is_over) {
  std::unique_lock lock(mutex_);
  const auto last = drawn_;
  while (served_ < last || is_busy_) {
    moved_.wait_for(lock, kTurnPause);
    if (is_over()) return;
  }
}

}  // namespace nvmlkit::nccl
