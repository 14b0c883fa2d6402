#include "libraries/nccl/communicator.hpp"

#include "base/never_destroyed.hpp"
#include "libraries/nccl/log.hpp"

namespace nvmlkit::nccl {
namespace {

struct All {
  std::mutex mutex;
  std::map<const Communicator*, CommunicatorPtr> known;
};
All& all() {
  static NeverDestroyed<All> the;
  return *the;
}

}  // namespace

const char* name_of(Kind kind) {
  constexpr const char* kNames[] = {"AllReduce", "Broadcast", "Reduce", "AllGather", "ReduceScatter", "AlltoAll",
                                    "Gather",    "Scatter",   "Send",   "Recv",      "CommSplit"};
  const auto number = static_cast<std::size_t>(kind);
  return number < std::size(kNames) ? kNames[number] : "?";
}

Communicator::~Communicator() { join(); }

void Communicator::fail(ncclResult_t result) {
  auto good = ncclSuccess;
  if (!state_.compare_exchange_strong(good, result)) return;
  log::info(device, "comm %p rank %d : async error %d", static_cast<void*>(this), rank, static_cast<int>(result));
  peers.stand(Standing::failed);
}

void Communicator::abort() {
  if (is_aborted_.exchange(true)) return;
  if (state_ != ncclInProgress) peers.stand(Standing::aborted);
}

void Communicator::settle() {
  join();
  turn.wait_for_all([&] { return is_aborted() || state_ != ncclSuccess; });
}

void Communicator::start(std::thread thread) {
  const std::lock_guard lock(mutex_);
  thread_ = std::move(thread);
}

void Communicator::join() {
  std::thread thread;
  {
    const std::lock_guard lock(mutex_);
    thread = std::move(thread_);
  }
  if (!thread.joinable()) return;
  if (thread.get_id() == std::this_thread::get_id())
    thread.detach();
  else
    thread.join();
}

int Communicator::add_operator(Operator made) {
  const std::lock_guard lock(mutex_);
  int number = ncclNumOps;
  while (operators_.count(number)) ++number;
  operators_[number] = made;
  return number;
}

bool Communicator::remove_operator(int number) {
  const std::lock_guard lock(mutex_);
  return operators_.erase(number) > 0;
}

std::optional<Operator> Communicator::find_operator(int number) const {
  const std::lock_guard lock(mutex_);
  const auto found = operators_.find(number);
  if (found == operators_.end()) return {};
  return found->second;
}

CommunicatorPtr find(const Communicator* handle) {
  auto& a = all();
  const std::lock_guard lock(a.mutex);
  const auto found = a.known.find(handle);
  return found == a.known.end() ? nullptr : found->second;
}

Communicator* keep(const CommunicatorPtr& made) {
  auto& a = all();
  const std::lock_guard lock(a.mutex);
  a.known[made.get()] = made;
  return made.get();
}

CommunicatorPtr forget(const Communicator* handle) {
  auto& a = all();
  const std::lock_guard lock(a.mutex);
  const auto found = a.known.find(handle);
  if (found == a.known.end()) return nullptr;
  auto out = std::move(found->second);
  a.known.erase(found);
  return out;
}

}  // namespace nvmlkit::nccl
