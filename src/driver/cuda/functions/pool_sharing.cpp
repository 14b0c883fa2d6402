// Pools of other processes: a file names the pool, and 64 bytes name memory of it.
#include <sys/mman.h>
#include <unistd.h>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/memory/pools.hpp"
#include "driver/cuda/memory/tickets.hpp"

namespace nvmlkit::cuda::functions {
namespace {

bool is_file(CUmemAllocationHandleType type, unsigned long long flags) {
  return type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && flags == 0;
}

}  // namespace

CUresult MemPoolExportToShareableHandle(void* handle_out, CUmemoryPool pool, CUmemAllocationHandleType handleType,
                                        unsigned long long flags) {
  const auto own = pools::find(pool);
  if (!own || !is_file(handleType, flags) || !(own->handle_types & handleType)) return CUDA_ERROR_INVALID_VALUE;
  Ticket ticket;
  ticket.what = Ticket::kPool;
  ticket.pool = own->number;
  tickets::sign(ticket, *own->device);
  const int file = memfd_create("nvmlkit memory pool", MFD_CLOEXEC);
  if (file < 0) return CUDA_ERROR_OPERATING_SYSTEM;
  if (write(file, &ticket, sizeof ticket) != sizeof ticket) {
    close(file);
    return CUDA_ERROR_OPERATING_SYSTEM;
  }
  *static_cast<int*>(handle_out) = file;
  return CUDA_SUCCESS;
}

CUresult MemPoolImportFromShareableHandle(CUmemoryPool* pool_out, void* handle, CUmemAllocationHandleType handleType,
                                          unsigned long long flags) {
  if (!is_file(handleType, flags)) return CUDA_ERROR_INVALID_VALUE;
  const auto file = static_cast<int>(reinterpret_cast<std::intptr_t>(handle));
  Ticket ticket;
  if (pread(file, &ticket, sizeof ticket, 0) != sizeof ticket || ticket.what != Ticket::kPool)
    return CUDA_ERROR_INVALID_VALUE;
  auto* const device = tickets::device_of(ticket);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  auto made = std::make_shared<Pool>(*device);
  made->number = ticket.pool;
  made->foreign_process = ticket.process;
  *pool_out = pools::make(std::move(made));
  return CUDA_SUCCESS;
}

CUresult MemPoolExportPointer(CUmemPoolPtrExportData* shareData_out, CUdeviceptr ptr) {
  const auto allocation = memory::find(ptr);
  const auto pool = allocation ? pools::find(allocation->pool) : nullptr;
  if (!pool || allocation->address != ptr || pool->handle_types == 0 || pool->foreign_process != 0)
    return CUDA_ERROR_INVALID_VALUE;
  Ticket ticket;
  ticket.pool = pool->number;
  const auto result = tickets::give(*allocation, Ticket::kPoolMemory, ticket);
  if (result == CUDA_SUCCESS) tickets::write(shareData_out, ticket);
  return result;
}

CUresult MemPoolImportPointer(Context& context, CUdeviceptr* ptr_out, CUmemoryPool pool,
                              CUmemPoolPtrExportData* shareData) {
  const auto own = pools::find(pool);
  const auto ticket = tickets::ticket_of(*shareData);
  if (!own || ticket.what != Ticket::kPoolMemory || ticket.size == 0 || ticket.process != own->foreign_process ||
      ticket.pool != own->number)
    return CUDA_ERROR_INVALID_VALUE;
  return tickets::take(ticket, context.handle(), pool, *ptr_out);
}

}  // namespace nvmlkit::cuda::functions
