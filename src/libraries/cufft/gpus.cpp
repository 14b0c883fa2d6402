#include "libraries/cufft/gpus.hpp"

#include <dlfcn.h>

#include "libraries/common/find_call.hpp"

namespace nvmlkit::cufft {
namespace {

using cuda::CUresult;
using libraries::find_call;

bool load_calls(Calls& out) {
  out.driver = libraries::driver();
  if (!out.driver) return false;
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return library && find_call(library, "cuDeviceGet", out.get_device) &&
         find_call(library, "cuDeviceGetPCIBusId", out.get_bus_id) &&
         find_call(library, "cuStreamCreate", out.create_stream) &&
         find_call(library, "cuStreamDestroy_v2", out.destroy_stream) &&
         find_call(library, "cuStreamGetCtx", out.get_context_of) &&
         find_call(library, "cuStreamWaitEvent", out.wait_for_event) &&
         find_call(library, "cuEventCreate", out.create_event) &&
         find_call(library, "cuEventRecord", out.record_event) &&
         find_call(library, "cuEventDestroy_v2", out.destroy_event) &&
         find_call(library, "cuMemcpyDtoD_v2", out.copy) && find_call(library, "cuMemAllocAsync", out.allocate_in) &&
         find_call(library, "cuMemFreeAsync", out.free_in);
}

// A mark in a stream, for others to wait for.
class Mark {
 public:
  Mark(cuda::CUcontext context, CUstream stream) {
    const InContext in_context(context);
    result_ = calls()->create_event(&event_, cuda::CU_EVENT_DISABLE_TIMING);
    if (result_ == cuda::CUDA_SUCCESS) result_ = calls()->record_event(event_, stream);
  }
  ~Mark() {
    if (event_) calls()->destroy_event(event_);
  }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;

  CUresult let_wait(cuda::CUcontext context, CUstream stream) const {
    if (result_ != cuda::CUDA_SUCCESS) return result_;
    const InContext in_context(context);
    return calls()->wait_for_event(stream, event_, 0);
  }

 private:
  cuda::CUevent event_ = nullptr;
  CUresult result_;
};

CUresult context_of(CUstream stream, cuda::CUcontext& out) { return calls()->get_context_of(stream, &out); }

}  // namespace

const Calls* calls() {
  static const Calls* const the = []() -> const Calls* {
    static Calls made;
    return load_calls(made) ? &made : nullptr;
  }();
  return the;
}

cufftResult Gpus::make(const int* numbers, int count, std::shared_ptr<const Gpus>& out) {
  if (!calls()) return CUFFT_SETUP_FAILED;
  std::vector<cuda::CUdevice> devices;
  for (int i = 0; i < count; ++i) {
    cuda::CUdevice device = 0;
    if (calls()->get_device(&device, numbers[i]) != cuda::CUDA_SUCCESS) return CUFFT_INVALID_DEVICE;
    devices.push_back(device);
    const auto& driver = *calls()->driver;
    if (libraries::capability(driver, device) != libraries::capability(driver, devices[0])) return CUFFT_INVALID_DEVICE;
  }
  const std::shared_ptr<Gpus> made(new Gpus);
  for (int i = 0; i < count; ++i) {
    const auto device = devices[static_cast<std::size_t>(i)];
    // The context stays: memory of descriptors may be used without the plan.
    Gpu gpu{numbers[i], nullptr, nullptr, {}};
    if (calls()->driver->retain_primary(&gpu.context, device) != cuda::CUDA_SUCCESS) return CUFFT_SETUP_FAILED;
    const InContext in_context(gpu.context);
    if (calls()->create_stream(&gpu.stream, 0) != cuda::CUDA_SUCCESS) return CUFFT_SETUP_FAILED;
    char name[32] = "";
    calls()->get_bus_id(name, sizeof name, device);
    gpu.bus_id = name;
    made->all_.push_back(gpu);
  }
  out = made;
  return CUFFT_SUCCESS;
}

Gpus::~Gpus() {
  for (const auto& gpu : all_) calls()->destroy_stream(gpu.stream);
}

CUresult Gpus::meet() const {
  for (const auto& one : all_) {
    const Mark mark(one.context, one.stream);
    for (const auto& other : all_) {
      if (&one == &other) continue;
      if (const auto result = mark.let_wait(other.context, other.stream); result != cuda::CUDA_SUCCESS) return result;
    }
  }
  return cuda::CUDA_SUCCESS;
}

CUresult Gpus::begin(CUstream of_program) const {
  if (!of_program) return cuda::CUDA_SUCCESS;
  cuda::CUcontext context = nullptr;
  if (const auto result = context_of(of_program, context); result != cuda::CUDA_SUCCESS) return result;
  const Mark mark(context, of_program);
  for (const auto& gpu : all_)
    if (const auto result = mark.let_wait(gpu.context, gpu.stream); result != cuda::CUDA_SUCCESS) return result;
  return cuda::CUDA_SUCCESS;
}

CUresult Gpus::end(CUstream of_program) const {
  if (!of_program) return wait();
  cuda::CUcontext context = nullptr;
  if (const auto result = context_of(of_program, context); result != cuda::CUDA_SUCCESS) return result;
  for (const auto& gpu : all_) {
    const Mark mark(gpu.context, gpu.stream);
    if (const auto result = mark.let_wait(context, of_program); result != cuda::CUDA_SUCCESS) return result;
  }
  return cuda::CUDA_SUCCESS;
}

CUresult Gpus::wait() const {
  auto out = cuda::CUDA_SUCCESS;
  for (const auto& gpu : all_) {
    const InContext in_context(gpu.context);
    const auto result = calls()->driver->wait_for_stream(gpu.stream);
    if (out == cuda::CUDA_SUCCESS) out = result;
  }
  return out;
}

}  // namespace nvmlkit::cufft
