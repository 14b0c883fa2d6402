// Memory and events of other processes, which are found by the process and its file that the bytes lie in.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/memory.hpp"
#include "driver/cuda/schedule.hpp"

namespace nvmlkit::cuda::functions {
namespace {

constexpr std::uint64_t kMemory = 0x6E766D6C6B697431, kEvent = 0x6E766D6C6B697432;

// What lies in the 64 bytes of a handle.
struct Ticket {
  std::uint64_t what = 0;
  std::uint64_t size = 0, inode = 0;
  std::int32_t process = 0, file = -1;
  char uuid[16] = {};  // of the GPU
};
static_assert(sizeof(Ticket) <= sizeof(CUipcMemHandle) && sizeof(CUipcMemHandle) == sizeof(CUipcEventHandle));

template <class Handle>
void write(Handle* handle, const Ticket& ticket) {
  std::memset(handle, 0, sizeof *handle);
  std::memcpy(handle, &ticket, sizeof ticket);
}

template <class Handle>
Ticket read(const Handle& handle) {
  Ticket out;
  std::memcpy(static_cast<void*>(&out), &handle, sizeof out);
  return out;
}

std::uint64_t inode_of(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 ? status.st_ino : 0;
}

// The GPU of a ticket in this process, or null.
Device* device_of(const Ticket& ticket) {
  for (const auto& device : devices()) {
    CUuuid own{};
    if (DeviceGetUuid_v2(&own, device->ordinal()) == CUDA_SUCCESS && std::memcmp(&own, ticket.uuid, 16) == 0)
      return device.get();
  }
  return nullptr;
}

}  // namespace

CUresult IpcGetMemHandle(Context&, CUipcMemHandle* pHandle, CUdeviceptr dptr) {
  const auto allocation = memory::find(dptr);
  if (!allocation || allocation->kind != MemoryKind::device || allocation->pool) return CUDA_ERROR_INVALID_VALUE;
  if (const auto result = schedule::wait_for_users(*allocation); result != CUDA_SUCCESS) return result;
  Ticket ticket;
  ticket.what = kMemory;
  ticket.size = allocation->size;
  ticket.process = getpid();
  ticket.file = memory::file_of(*allocation);
  if (ticket.file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
  ticket.inode = inode_of(ticket.file);
  CUuuid uuid{};
  DeviceGetUuid_v2(&uuid, allocation->device->ordinal());
  std::memcpy(ticket.uuid, &uuid, sizeof uuid);
  write(pHandle, ticket);
  return CUDA_SUCCESS;
}

CUresult IpcOpenMemHandle_v2(Context& context, CUdeviceptr* pdptr, CUipcMemHandle handle, unsigned int Flags) {
  const auto ticket = read(handle);
  if (ticket.what != kMemory || ticket.size == 0 || Flags > CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
    return CUDA_ERROR_INVALID_VALUE;
  if (ticket.process == getpid()) return CUDA_ERROR_INVALID_CONTEXT;  // not in the process that it is of
  auto* const device = device_of(ticket);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", ticket.process, ticket.file);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return CUDA_ERROR_MAP_FAILED;
  auto made = std::make_shared<Allocation>();
  made->kind = MemoryKind::foreign;
  made->size = ticket.size;
  made->file = file;
  made->device = device;
  made->context = context.handle();
  if (inode_of(file) != ticket.inode) return CUDA_ERROR_MAP_FAILED;
  void* const bytes = mmap(nullptr, ticket.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (bytes == MAP_FAILED) return CUDA_ERROR_MAP_FAILED;
  made->bytes = static_cast<std::byte*>(bytes);
  made->address = device->reserve_addresses(ticket.size);
  if (!made->address) return CUDA_ERROR_OUT_OF_MEMORY;
  const auto address = made->address;
  if (!memory::add(std::move(made))) return CUDA_ERROR_ALREADY_MAPPED;
  *pdptr = address;
  return CUDA_SUCCESS;
}

CUresult IpcOpenMemHandle(Context& context, CUdeviceptr* pdptr, CUipcMemHandle handle, unsigned int Flags) {
  return IpcOpenMemHandle_v2(context, pdptr, handle, Flags);
}

CUresult IpcCloseMemHandle(Context&, CUdeviceptr dptr) {
  const auto allocation = memory::find(dptr);
  if (!allocation) return CUDA_ERROR_INVALID_VALUE;
  if (const auto result = schedule::wait_for_users(*allocation); result != CUDA_SUCCESS) return result;
  return memory::remove(dptr, MemoryKind::foreign, MemoryKind::foreign) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult IpcGetEventHandle(Context&, CUipcEventHandle* pHandle, CUevent event) {
  const auto own = streams::find_event(event);
  if (!own) return CUDA_ERROR_INVALID_HANDLE;
  if (!(own->flags & CU_EVENT_INTERPROCESS)) return CUDA_ERROR_INVALID_VALUE;
  Ticket ticket;
  ticket.what = kEvent;
  ticket.process = getpid();
  write(pHandle, ticket);
  return CUDA_SUCCESS;
}

CUresult IpcOpenEventHandle(Context& context, CUevent* phEvent, CUipcEventHandle handle) {
  const auto ticket = read(handle);
  if (ticket.what != kEvent) return CUDA_ERROR_INVALID_VALUE;
  if (ticket.process == getpid()) return CUDA_ERROR_INVALID_CONTEXT;
  *phEvent = streams::add_event(context.handle(), CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda::functions
