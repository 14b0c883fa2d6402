#include "libraries/nccl/group.hpp"

#include <cstdlib>
#include <cstring>
#include <thread>

#include "libraries/nccl/log.hpp"

namespace nvmlkit::nccl::group {
namespace {

struct Job {
  CommunicatorPtr made;
  Communicator** handle;
  std::function<ncclResult_t()> work;
  ncclResult_t result = ncclInProgress;
};

struct Planned {
  CommunicatorPtr communicator;
  std::vector<Request> requests;
};

struct Group {
  int depth = 0;
  ncclResult_t failure = ncclSuccess;
  std::vector<Job> jobs;
  std::vector<Planned> planned;
};
Group& group() {
  static thread_local Group the;
  return the;
}

ncclResult_t guarded_work(const std::function<ncclResult_t()>& work) {
  try {
    return work();
  } catch (...) {
    return ncclSystemError;
  }
}

void take_back(const Job& job) {
  forget(job.made.get());
  if (job.handle) *job.handle = nullptr;
}

ncclResult_t begin_alone(Job& job) {
  // The communicator outlives the thread: who lets it go waits for it.
  job.made->start(std::thread([made = job.made.get(), work = job.work] {
    if (const auto result = guarded_work(work); result != ncclSuccess) made->set_state(result);
  }));
  return ncclInProgress;
}

ncclResult_t run_all(std::vector<Job>& jobs) {
  std::vector<std::thread> threads;
  for (auto& job : jobs) {
    if (job.made->settings.is_blocking)
      threads.emplace_back([&job] { job.result = guarded_work(job.work); });
    else
      job.result = begin_alone(job);
  }
  for (auto& thread : threads) thread.join();
  auto out = ncclSuccess;
  for (const auto& job : jobs) {
    if (job.result != ncclSuccess && (out == ncclSuccess || out == ncclInProgress)) out = job.result;
    if (job.result != ncclSuccess && job.result != ncclInProgress) take_back(job);
  }
  return out;
}

bool waits_for_launches() {
  const char* const word = std::getenv("CUDA_LAUNCH_BLOCKING");
  return word && std::strcmp(word, "1") == 0;
}

// A launch that waits for its kernel waits for the other ranks of the group: each is in a thread of its own then.
ncclResult_t launch_all(const std::vector<Planned>& planned) {
  std::vector<ncclResult_t> results(planned.size(), ncclSuccess);
  std::vector<std::thread> threads;
  const bool waits = planned.size() > 1 && waits_for_launches();
  for (std::size_t i = 0; i < planned.size(); ++i) {
    const auto one = [&results, &planned, i] { results[i] = launch(planned[i].communicator, planned[i].requests); };
    if (waits)
      threads.emplace_back(one);
    else
      one();
  }
  for (auto& thread : threads) thread.join();
  for (const auto result : results)
    if (result != ncclSuccess) return result;
  return ncclSuccess;
}

}  // namespace

void start() { ++group().depth; }
double drop() {
  auto& g = group();
  double bytes = 0;
  for (const auto& plan : g.planned)
    for (const auto& request : plan.requests)
      bytes += static_cast<double>(request.operation.count * size_of(request.operation.type));
  if (g.depth > 0 && --g.depth == 0) g = {};
  return bytes;
}
bool is_open() { return group().depth > 0; }

void note(ncclResult_t result) {
  auto& failure = group().failure;
  if (failure == ncclSuccess && result != ncclInProgress) failure = result;
}

ncclResult_t end() {
  auto& g = group();
  if (g.depth == 0) {
    log::warn(-1, "ncclGroupEnd: not in a group call.");
    return ncclInvalidUsage;
  }
  if (--g.depth > 0) return ncclSuccess;
  auto jobs = std::move(g.jobs);
  const auto planned = std::move(g.planned);
  auto result = g.failure;
  g = {};
  if (result != ncclSuccess) {
    for (const auto& job : jobs) take_back(job);
    return result;
  }
  if (!jobs.empty()) result = run_all(jobs);
  if (result != ncclSuccess) return result;
  return launch_all(planned);
}

ncclResult_t add(const CommunicatorPtr& communicator, const Request& request) {
  auto& g = group();
  if (g.depth == 0) return launch(communicator, {request});
  for (auto& plan : g.planned)
    if (plan.communicator == communicator) {
      plan.requests.push_back(request);
      return ncclSuccess;
    }
  g.planned.push_back({communicator, {request}});
  return ncclSuccess;
}

ncclResult_t connect_by(const CommunicatorPtr& made, Communicator** handle, std::function<ncclResult_t()> work) {
  Job job{made, handle, std::move(work)};
  auto& g = group();
  if (g.depth > 0) {
    g.jobs.push_back(std::move(job));
    return ncclSuccess;
  }
  if (!made->settings.is_blocking) return begin_alone(job);
  job.result = guarded_work(job.work);
  if (job.result != ncclSuccess) take_back(job);
  return job.result;
}

}  // namespace nvmlkit::nccl::group
