// A rank of a communicator.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "libraries/nccl/operation.hpp"
#include "libraries/nccl/peers.hpp"
#include "libraries/nccl/turn.hpp"
#include "libraries/nccl/types.hpp"

namespace nvmlkit::nccl {

// What a program asks for.
struct Settings {
  bool is_blocking = true;
};

class Communicator {
 public:
  Communicator(int its_rank, int all_ranks, Settings asked) : rank(its_rank), ranks(all_ranks), settings(asked) {}
  ~Communicator();

  int rank, ranks;  // of the parts of a split, known when it is connected
  const Settings settings;
  std::uint64_t id = 0;  // for people
  cuda::CUcontext context = nullptr;
  int device = 0;  // of the process
  std::string bus_id;

  Peers peers;
  Turn turn;
  std::atomic<bool> has_links{false};  // it knows the NVLinks that it began with
  std::atomic<std::uint64_t> links{0};
  std::uint64_t operations = 0;  // done; of the thread whose turn it is

  // ncclInProgress while another thread connects it; an error stays.
  ncclResult_t state() const { return state_; }
  void set_state(ncclResult_t state) { state_ = state; }
  // The first error counts, and the other ranks learn of it.
  void fail(ncclResult_t result);
  bool is_usable() const { return state_ == ncclSuccess && !is_aborted_ && !is_finalized; }
  std::atomic<bool> is_finalized{false};

  // Ends what runs and what waits.
  void abort();
  bool is_aborted() const { return is_aborted_; }
  // All operations are done, or never will be.
  void settle();

  // The thread that connects it, if any.
  void start(std::thread thread);
  void join();

  // Operators of ncclRedOpCreatePreMulSum.
  int add_operator(Operator made);
  bool remove_operator(int number);
  std::optional<Operator> find_operator(int number) const;

 private:
  std::atomic<ncclResult_t> state_{ncclInProgress};
  std::atomic<bool> is_aborted_{false};
  mutable std::mutex mutex_;
  std::map<int, Operator> operators_;
  std::thread thread_;
};

using CommunicatorPtr = std::shared_ptr<Communicator>;

// Programs have addresses of communicators. Null for what is none.
CommunicatorPtr find(const Communicator* handle);
Communicator* keep(const CommunicatorPtr& made);
CommunicatorPtr forget(const Communicator* handle);

// Connects it with the other ranks of the id; waits for them.
ncclResult_t connect(Communicator& made, const UniqueId& id);

}  // namespace nvmlkit::nccl
