#include "libraries/nccl/launch.hpp"

#include <algorithm>
#include <thread>

#include "libraries/common/kernel.hpp"
#include "libraries/nccl/collective.hpp"
#include "libraries/nccl/exchange.hpp"
#include "libraries/nccl/gpu.hpp"
#include "libraries/nccl/log.hpp"
#include "libraries/nccl/traffic.hpp"

namespace nvmlkit::nccl {
namespace {

using libraries::Running;

// The kernel of one launch. A graph repeats it.
class Work {
 public:
  Work(CommunicatorPtr communicator, std::vector<Operation> operations, Ticket ticket)
      : communicator_(std::move(communicator)), operations_(std::move(operations)), ticket_(ticket) {}
  ~Work() {
    if (!ticket_ || has_run_) return;
    communicator_->turn.give_up(*ticket_);  // its context has failed
    communicator_->fail(ncclUnhandledCudaError);
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  void run(Running& running) {
    has_run_ = true;
    auto& c = *communicator_;
    const auto is_over = [&] {
      look(running);
      return c.is_aborted();
    };
    try {
      if (!c.turn.take(ticket_, is_over)) return;
    } catch (const libraries::Stopped&) {
      c.fail(ncclUnhandledCudaError);
      throw;
    }
    const Passing passing{*this};
    if (c.state() == ncclSuccess) perform_each(running);
    // As on hardware: what failed waits until the program aborts it.
    while (c.state() != ncclSuccess && !is_over()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }

 private:
  struct Passing {
    Work& work;
    ~Passing() { work.communicator_->turn.pass(work.ticket_); }
  };

  void look(Running& running) {
    try {
      running.tick();
    } catch (const libraries::Stopped&) {
      communicator_->fail(ncclUnhandledCudaError);
      throw;
    }
    check_links(running);
  }

  // A link of the GPU that carried traffic when the communicator began, and carries none now.
  void check_links(Running& running) {
    auto& c = *communicator_;
    const auto links = running.active_links(*gpu()->driver);
    if (!c.has_links.exchange(true)) c.links = links;
    if ((c.links & ~links) == 0) return;
    log::warn(c.device, "Cuda failure 220 'uncorrectable NVLink error detected during the execution'");
    c.fail(ncclUnhandledCudaError);
    throw libraries::Failed{cuda::CUDA_ERROR_NVLINK_UNCORRECTABLE};
  }

  void count(Running& running) const {
    const auto& c = *communicator_;
    for (const auto& operation : operations_)
      for (const auto& moved : moved_by(operation, c.rank, c.ranks)) {
        const auto& peer = c.peers.all[static_cast<std::size_t>(moved.peer)];
        if (peer.is_on_host) running.count_traffic(*gpu()->driver, peer.bus_id.c_str(), moved.sent, moved.received);
      }
  }

  void perform_each(Running& running) {
    const Memory memory{[&](const void* place, std::uint64_t size) {
                          return static_cast<const std::byte*>(running.read(place, static_cast<std::int64_t>(size), 1));
                        },
                        [&](void* place, std::uint64_t size) {
                          return static_cast<std::byte*>(running.write(place, static_cast<std::int64_t>(size), 1));
                        },
                        [&] { look(running); }};
    std::vector<Operation> between_two;
    look(running);
    try {
      for (const auto& operation : operations_) {
        if (is_between_two(operation.kind))
          between_two.push_back(operation);
        else
          perform(*communicator_, operation, memory);
      }
      if (!between_two.empty()) perform_all(*communicator_, between_two, memory);
      count(running);
    } catch (const libraries::Stopped&) {
      communicator_->fail(ncclUnhandledCudaError);
      throw;
    } catch (const Ended& ended) {
      if (ended.result != ncclSuccess) communicator_->fail(ended.result);
      // Calls that do not fit together end with an error of the context, not with a hang.
      if (ended.result == ncclInvalidUsage) throw;
    }
  }

  const CommunicatorPtr communicator_;
  const std::vector<Operation> operations_;
  const Ticket ticket_;
  bool has_run_ = false;
};

const char* kernel_name(const Operation& operation) {
  switch (operation.kind) {
    case Kind::all_reduce:
      return "ncclDevKernel_AllReduce_RING_SIMPLE";
    case Kind::reduce_scatter:
      return "ncclDevKernel_ReduceScatter_RING_SIMPLE";
    case Kind::reduce:
      return "ncclDevKernel_Reduce_RING_SIMPLE";
    case Kind::broadcast:
      return "ncclDevKernel_Broadcast_RING_SIMPLE";
    case Kind::all_gather:
      return "ncclDevKernel_AllGather_RING_SIMPLE";
    default:
      return "ncclDevKernel_SendRecv";
  }
}

// The streams of a group work as one: each waits for the first, which waits for them before.
class Joined {
 public:
  Joined(const Gpu& gpu, const std::vector<Request>& requests) : gpu_(gpu), first_(requests.front().stream) {
    for (const auto& request : requests)
      if (request.stream != first_ && std::find(others_.begin(), others_.end(), request.stream) == others_.end())
        others_.push_back(request.stream);
  }

  cuda::CUresult begin() const {
    for (auto* const stream : others_)
      if (const auto result = order(stream, first_); result != cuda::CUDA_SUCCESS) return result;
    return cuda::CUDA_SUCCESS;
  }
  cuda::CUresult end() const {
    for (auto* const stream : others_)
      if (const auto result = order(first_, stream); result != cuda::CUDA_SUCCESS) return result;
    return cuda::CUDA_SUCCESS;
  }
  CUstream first() const { return first_; }

 private:
  cuda::CUresult order(CUstream before, CUstream after) const {
    cuda::CUevent event = nullptr;
    auto result = gpu_.create_event(&event, cuda::CU_EVENT_DISABLE_TIMING);
    if (result != cuda::CUDA_SUCCESS) return result;
    result = gpu_.record_event(event, before);
    if (result == cuda::CUDA_SUCCESS) result = gpu_.wait_for_event(after, event, 0);
    gpu_.destroy_event(event);
    return result;
  }

  const Gpu& gpu_;
  const CUstream first_;
  std::vector<CUstream> others_;
};

}  // namespace

ncclResult_t launch(const CommunicatorPtr& communicator, const std::vector<Request>& requests) {
  const auto* const g = gpu();
  if (!g) return ncclUnhandledCudaError;
  const libraries::InContext in_context(*g->driver, communicator->context);
  const Joined streams(*g, requests);
  auto captured = cuda::CU_STREAM_CAPTURE_STATUS_NONE;
  auto result = g->driver->is_capturing(streams.first(), &captured);
  if (result == cuda::CUDA_SUCCESS) result = streams.begin();
  if (result != cuda::CUDA_SUCCESS) return answer_of(result, "cuStreamIsCapturing");
  std::vector<Operation> operations;
  libraries::Cost cost;
  for (const auto& request : requests) {
    operations.push_back(request.operation);
    cost.bytes += 2.0 * static_cast<double>(request.operation.count * size_of(request.operation.type));
  }
  const auto* const name = kernel_name(operations.front());
  Ticket ticket;
  if (captured == cuda::CU_STREAM_CAPTURE_STATUS_NONE) ticket = communicator->turn.draw();
  const auto work = std::make_shared<Work>(communicator, std::move(operations), ticket);
  result =
      libraries::enqueue(*g->driver, streams.first(), name, cost, [work](Running& running) { work->run(running); });
  if (result == cuda::CUDA_SUCCESS) result = streams.end();
  return answer_of(result, name);
}

}  // namespace nvmlkit::nccl
