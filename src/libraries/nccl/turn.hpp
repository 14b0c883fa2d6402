// The order of a communicator's operations on this rank: the order of the calls, whatever their streams. An operation
// that a graph repeats comes when its graph does.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>

namespace nvmlkit::nccl {

using Ticket = std::optional<std::uint64_t>;

class Turn {
 public:
  std::uint64_t draw();
  // False: it is over before its turn. Asked every few milliseconds; it may throw.
  bool take(const Ticket& ticket, const std::function<bool()>& is_over);
  void pass(const Ticket& ticket);
  // It never comes.
  void give_up(std::uint64_t ticket);

  // Until all drawn tickets are done.
  void wait_for_all(const std::function<bool()>& is_over);

 private:
  void skip();

  std::mutex mutex_;
  std::condition_variable moved_;
  std::uint64_t drawn_ = 0, served_ = 0;
  bool is_busy_ = false;
  std::set<std::uint64_t> given_up_;
};

}  // namespace nvmlkit::nccl
