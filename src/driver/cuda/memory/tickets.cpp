#include "driver/cuda/memory/tickets.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/process.hpp"
#include "ptx/changing_memory.hpp"

namespace nvmlkit::cuda::tickets {
namespace {

std::uint64_t inode_of(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 ? status.st_ino : 0;
}

}  // namespace

void sign(Ticket& ticket, const Device& device) {
  ticket.process = getpid();
  CUuuid uuid{};
  functions::DeviceGetUuid_v2(&uuid, device.ordinal());
  std::memcpy(ticket.uuid, &uuid, sizeof uuid);
}

Device* device_of(const Ticket& ticket) {
  for (const auto& device : devices()) {
    CUuuid own{};
    if (functions::DeviceGetUuid_v2(&own, device->ordinal()) == CUDA_SUCCESS &&
        std::memcmp(&own, ticket.uuid, sizeof own) == 0)
      return device.get();
  }
  return nullptr;
}

CUresult give(Allocation& allocation, std::uint64_t what, Ticket& out) {
  out.what = what;
  out.size = allocation.size;
  out.file = memory::file_of(allocation);
  if (out.file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
  out.inode = inode_of(out.file);
  ptx::others_share_memory();
  sign(out, *allocation.device);
  return CUDA_SUCCESS;
}

CUresult take(const Ticket& ticket, CUcontext context, CUmemoryPool pool, CUdeviceptr& out) {
  if (ticket.process == getpid()) return CUDA_ERROR_INVALID_CONTEXT;  // not in the process that it is of
  auto* const device = device_of(ticket);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", ticket.process, ticket.file);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return CUDA_ERROR_MAP_FAILED;
  ptx::others_share_memory();
  auto made = std::make_shared<Allocation>();
  made->kind = MemoryKind::foreign;
  made->size = ticket.size;
  made->file = file;
  made->device = device;
  made->context = context;
  made->pool = pool;
  if (inode_of(file) != ticket.inode) return CUDA_ERROR_MAP_FAILED;
  void* const bytes = mmap(nullptr, ticket.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (bytes == MAP_FAILED) return CUDA_ERROR_MAP_FAILED;
  made->bytes = static_cast<std::byte*>(bytes);
  made->address = device->reserve_addresses(ticket.size);
  if (!made->address) return CUDA_ERROR_OUT_OF_MEMORY;
  const auto address = made->address;
  if (!memory::add(std::move(made))) return CUDA_ERROR_ALREADY_MAPPED;
  out = address;
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda::tickets
