// The execution of one launch: by the launching thread and, if it is long, by helpers.
#pragma once

#include <atomic>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>

#include "ptx/run/group.hpp"
#include "ptx/run/helpers.hpp"
#include "ptx/run/schedule.hpp"
#include "ptx/run/trial.hpp"

namespace nvmlkit::ptx {

class Execution final : public Helpers::Work {
 public:
  explicit Execution(const Grid& grid);

  Outcome run_to_end();
  void help() noexcept override;

 private:
  // Groups that were not begun, in order, and those that gave their turn away.
  std::unique_ptr<Group> next(Worker& worker, std::unique_ptr<Group>& spare);
  std::unique_ptr<Group> next_by_schedule(Worker& worker, std::unique_ptr<Group>& spare);
  std::unique_ptr<Group> begin(std::uint64_t number, Worker& worker, std::unique_ptr<Group>& spare);
  std::unique_ptr<Group> take_waiting(std::size_t number);
  void put_back(std::unique_ptr<Group> group);

  void work(Worker& worker, bool by_caller);
  void end_with(Fault fault);
  void ask_for_help();
  void try_alone(const Worker& worker);
  unsigned threads() const;
  bool goes_from_block_to_block(const Worker& worker) const;

  const Grid& grid_;
  const std::unique_ptr<Schedule> schedule_;  // null: the usual order
  // What all workers change often, and what they only read, in lines of the cache of their own.
  Groups groups_;
  alignas(64) std::atomic<bool> ended_{false};
  std::atomic<std::size_t> waiting_count_{0};
  bool has_helpers_ = false;
  bool has_one_thread_ = false;         // for certain
  std::atomic<bool> dismissed_{false};  // helpers
  Trial trial_;

  std::mutex mutex_;
  std::deque<std::unique_ptr<Group>> waiting_;
  bool begins_next_ = false;  // the next one that is chosen is a new one
  Outcome outcome_;
  std::exception_ptr failure_;
};

}  // namespace nvmlkit::ptx
