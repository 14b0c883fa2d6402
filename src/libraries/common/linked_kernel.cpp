#include "libraries/common/linked_kernel.hpp"

#include <algorithm>
#include <list>
#include <mutex>

#include "base/never_destroyed.hpp"

namespace nvmlkit::libraries {
namespace {

constexpr unsigned kThreads = 128, kMostBlocks = 0x7fffffff;

// The kernels that were asked for last, by all that they were made of.
class Kept {
 public:
  std::shared_ptr<const LinkedKernel> find(const std::string& content) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const Entry& e) { return e.content == content; });
    if (found == all_.end()) return nullptr;
    all_.splice(all_.begin(), all_, found);
    return found->kernel;
  }

  void put(const std::string& content, const std::shared_ptr<const LinkedKernel>& kernel) {
    std::list<Entry> dropped;  // ends without the lock: to unload a kernel waits for work
    const std::lock_guard lock(mutex_);
    all_.push_front({content, kernel});
    bytes_ += content.size();
    while (all_.size() > 1 && (all_.size() > kMostKernels || bytes_ > kMostBytes)) {
      bytes_ -= all_.back().content.size();
      dropped.splice(dropped.begin(), all_, std::prev(all_.end()));
    }
  }

 private:
  static constexpr std::size_t kMostKernels = 64, kMostBytes = 32 << 20;
  struct Entry {
    std::string content;
    std::shared_ptr<const LinkedKernel> kernel;
  };

  std::mutex mutex_;
  std::list<Entry> all_;
  std::size_t bytes_ = 0;
};

Kept& kept() {
  static NeverDestroyed<Kept> the;
  return *the;
}

// Parts with their lengths, which no other parts have.
void append(std::string& content, const std::string& part) { content += std::to_string(part.size()) + ':' + part; }

std::string content_of(const KernelText& kernel, const std::vector<DeviceFunction>& functions, int capability) {
  std::string out;
  append(out, std::to_string(capability));
  append(out, kernel.name);
  append(out, std::to_string(kernel.texts.size()));
  for (const auto& text : kernel.texts) append(out, text);
  for (const auto& [symbol, lto_ir] : functions) {
    append(out, symbol);
    append(out, lto_ir);
  }
  return out;
}

// Variables of the device belong to one plan: its functions may write them.
bool has_variables(const std::string& ptx) { return ptx.find(".global .") != ptx.npos; }

}  // namespace

std::shared_ptr<const LinkedKernel> LinkedKernel::load(const Driver& driver, const std::string& ptx, const char* name) {
  cuda::CUlibrary library = nullptr;
  if (driver.load_library(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0) != cuda::CUDA_SUCCESS)
    return nullptr;
  std::shared_ptr<LinkedKernel> out(new LinkedKernel(driver, library));
  return driver.get_kernel(&out->kernel_, library, name) == cuda::CUDA_SUCCESS ? out : nullptr;
}

LinkedKernel::~LinkedKernel() { driver_.unload_library(library_); }

CUresult LinkedKernel::launch(CUstream stream, unsigned long long count, unsigned shared_bytes,
                              void** parameters) const {
  const auto blocks = (count + kThreads - 1) / kThreads;
  if (blocks == 0) return cuda::CUDA_SUCCESS;
  if (blocks > kMostBlocks) return cuda::CUDA_ERROR_INVALID_VALUE;
  return driver_.launch(reinterpret_cast<cuda::CUfunction>(kernel_), static_cast<unsigned>(blocks), 1, 1, kThreads, 1,
                        1, shared_bytes, stream, parameters, nullptr);
}

Linking linked_kernel(const Driver& driver, const KernelText& kernel, const std::vector<DeviceFunction>& functions,
                      const char* release, std::shared_ptr<const LinkedKernel>& out) {
  const int gpu = capability(driver);
  const auto content = content_of(kernel, functions, gpu);
  if ((out = kept().find(content))) return Linking::done;
  std::string ptx;
  const auto result = link_kernel(kernel, functions, gpu, release, ptx);
  if (result != Linking::done) return result;
  out = LinkedKernel::load(driver, ptx, kernel.name.c_str());
  // A function of the program may call another one that no image has.
  if (!out) return Linking::not_linked;
  if (!has_variables(ptx)) kept().put(content, out);
  return Linking::done;
}

}  // namespace nvmlkit::libraries
