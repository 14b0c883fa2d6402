// A call in steps. A kernel reaches memory of its own GPU only: each GPU hands its columns over, the first one computes
// for all, and each gets its columns back. The machine sees each GPU with its share of the work, and what goes over
// NVLink. A step ends when all GPUs are done; the work is that of the default stream of each.
#pragma once

#include <memory>

#include "libraries/cusolvermg/distributed.hpp"

namespace nvmlkit::cusolvermg {

class Steps {
 public:
  explicit Steps(const Call& call) : call_(call) {}

  template <class T>
  void bring(const Distributed<T>& from, const std::shared_ptr<Whole<T>>& to) {
    each(bytes_of(from),
         [=, gpus = call_.handle.gpus, driver = call_.handle.driver](std::size_t gpu, Running& running) {
           from.get(gpu, running, *to);
           count_traffic(*driver, gpus, from, gpu, true, running);
         });
  }
  template <class T>
  void give(const std::shared_ptr<Whole<T>>& from, const Distributed<T>& to) {
    each(bytes_of(to), [=, gpus = call_.handle.gpus, driver = call_.handle.driver](std::size_t gpu, Running& running) {
      to.put(gpu, running, *from);
      count_traffic(*driver, gpus, to, gpu, false, running);
    });
  }
  // work(): once, on the first GPU. The operations are those of all GPUs.
  template <class Work>
  void compute(double operations, Work work) {
    const Cost share{operations / static_cast<double>(call_.handle.gpus.size()), 0};
    each(share, [=](std::size_t gpu, Running&) {
      if (gpu == 0) work();
    });
  }
  cusolverStatus_t status() const { return Call::status_of(result_); }

 private:
  template <class T>
  Cost bytes_of(const Distributed<T>& matrix) const {
    return {0, static_cast<double>(matrix.size() * sizeof(T)) / static_cast<double>(call_.handle.gpus.size())};
  }

  // Both ends count.
  template <class T>
  static void count_traffic(const libraries::Driver& driver, const std::vector<Gpu>& gpus, const Distributed<T>& matrix,
                            std::size_t gpu, bool to_first, Running& running) {
    for (std::size_t peer = 1; peer < gpus.size(); ++peer) {
      if ((gpu != 0 && gpu != peer) || gpus[peer].device == gpus[0].device) continue;
      const auto bytes = matrix.bytes_on(peer);
      const bool sends = to_first == (gpu != 0);
      running.count_traffic(driver, gpus[gpu == 0 ? peer : 0].bus_id.c_str(), sends ? bytes : 0, sends ? 0 : bytes);
    }
  }

  // Nothing more is done after an error.
  template <class Work>
  void each(Cost cost, const Work& work) {
    if (result_ != cuda::CUDA_SUCCESS) return;
    const auto& handle = call_.handle;
    for (std::size_t gpu = 0; gpu < handle.gpus.size(); ++gpu) {
      const libraries::InContext in_context(*handle.driver, handle.gpus[gpu].context);
      keep(libraries::enqueue(*handle.driver, nullptr, call_.name, cost,
                              [work, gpu](Running& running) { work(gpu, running); }));
    }
    for (const auto& gpu : handle.gpus) {
      const libraries::InContext in_context(*handle.driver, gpu.context);
      keep(handle.driver->wait_for_stream(nullptr));
    }
  }
  void keep(libraries::CUresult result) {
    if (result_ == cuda::CUDA_SUCCESS) result_ = result;
  }

  const Call& call_;
  libraries::CUresult result_ = cuda::CUDA_SUCCESS;
};

}  // namespace nvmlkit::cusolvermg
