#include "driver/cuda/launches/host_kernel.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "driver/cuda/call.hpp"
#include "driver/cuda/device/links.hpp"
#include "driver/cuda/launches/context_memory.hpp"
#include "driver/cuda/launches/launch.hpp"
#include "driver/cuda/launches/watch.hpp"
#include "driver/cuda/work/enqueue.hpp"
#include "ptx/changing_memory.hpp"

namespace nvmlkit::cuda {
namespace {

using host_kernels::Access;

unsigned threads() {
  const auto asked = threads_of_host();
  return asked ? asked : std::max(std::thread::hardware_concurrency(), 1u);
}

// The first member is what the kernel sees.
struct Run {
  host_kernels::Running face;
  Context& context;
  const char* name;
  host_kernels::Pipe pipe;
  Watch watch{context, pipe};
  ContextMemory memory{context};
  std::vector<std::shared_ptr<const void>> held{};

  static Run& of(host_kernels::Running* face) { return *reinterpret_cast<Run*>(face); }

  // Within one allocation, or within neighbours that were mapped one behind the other.
  std::byte* find(std::uint64_t address, std::uint64_t size, Access access) {
    ptx::Region region;
    if (!memory.find(address, region)) return nullptr;
    if (access == host_kernels::access_write && region.is_read_only) return nullptr;
    const auto offset = address - region.start;
    held.push_back(region.holder);
    if (size > region.size - offset) {
      auto span = cuda::memory::known(address, size, access == host_kernels::access_write ? Use::write : Use::read);
      held.push_back(span.holder);
      return span.bytes;
    }
    if (access == host_kernels::access_write && region.written)
      std::memset(region.written + offset, ptx::kWritten, size);
    return region.bytes + offset;
  }

  static void* reach(host_kernels::Running* face, std::uint64_t address, std::uint64_t size, Access access) {
    auto& self = of(face);
    if (auto* const found = self.find(address, size, access)) return found;
    std::fprintf(stderr, "nvmlkit: kernel %s: illegal memory access at address 0x%" PRIx64 ", %" PRIu64 " bytes\n",
                 self.name, address, size);
    self.context.fail_for_good(CUDA_ERROR_ILLEGAL_ADDRESS);
    raise_xid(self.context.device, 31);
    return nullptr;
  }

  static bool tick(host_kernels::Running* face) {
    auto& self = of(face);
    self.watch.tick();
    return self.context.failure() == CUDA_SUCCESS;
  }
};

bool count_traffic(host_kernels::Running* running, const char* bus_id, std::uint64_t sent, std::uint64_t received) {
  return device_links::move(Run::of(running).context.device, bus_id, sent, received);
}

std::uint64_t active_links(host_kernels::Running* running) {
  return device_links::active(Run::of(running).context.device);
}

int enqueue_sized(void* stream, const host_kernels::Kernel* kernel, std::uint64_t size) {
  return guarded([&] {
    host_kernels::Kernel known{};
    std::memcpy(&known, kernel, std::min<std::uint64_t>(size, sizeof known));
    const auto owned = std::make_shared<const HostKernel>(known);
    if (!is_initialized()) return CUDA_ERROR_NOT_INITIALIZED;
    const Current context;
    if (!context) return context.refusal();
    KernelWork work;
    work.context = (*context).handle();
    work.of_host = owned;
    return enqueue(*context, static_cast<CUstream>(stream), std::move(work));
  });
}

// Of libraries that know no pipes.
int enqueue_kernel(void* stream, const host_kernels::Kernel* kernel) {
  return enqueue_sized(stream, kernel, offsetof(host_kernels::Kernel, pipe));
}

}  // namespace

void HostKernel::run(Context& context) const {
  const auto pipe = kernel_.pipe < host_kernels::pipe_count ? static_cast<host_kernels::Pipe>(kernel_.pipe)
                                                            : host_kernels::pipe_other;
  const ptx::ChangingMemory changing;
  Run run{{Run::reach, Run::tick, threads()}, context, kernel_.name, pipe};
  const auto result = static_cast<CUresult>(kernel_.run(&run.face, kernel_.arguments));
  if (result != CUDA_SUCCESS) context.fail(result);
  run.watch.tick();
}

const host_kernels::Table& host_kernel_table() {
  static constexpr host_kernels::Table kTable{sizeof kTable, enqueue_kernel, count_traffic, active_links,
                                              enqueue_sized};
  return kTable;
}

}  // namespace nvmlkit::cuda
