// Memory and events of other processes.
#include <unistd.h>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/memory/tickets.hpp"
#include "driver/cuda/streams/schedule.hpp"

namespace nvmlkit::cuda::functions {

CUresult IpcGetMemHandle(Context&, CUipcMemHandle* pHandle, CUdeviceptr dptr) {
  const auto allocation = memory::find(dptr);
  if (!allocation || allocation->kind != MemoryKind::device || allocation->pool || allocation->keeps)
    return CUDA_ERROR_INVALID_VALUE;
  if (const auto result = schedule::wait_for_users(*allocation); result != CUDA_SUCCESS) return result;
  Ticket ticket;
  const auto result = tickets::give(*allocation, Ticket::kMemory, ticket);
  if (result == CUDA_SUCCESS) tickets::write(pHandle, ticket);
  return result;
}

CUresult IpcOpenMemHandle_v2(Context& context, CUdeviceptr* pdptr, CUipcMemHandle handle, unsigned int Flags) {
  const auto ticket = tickets::ticket_of(handle);
  if (ticket.what != Ticket::kMemory || ticket.size == 0 || Flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
    return CUDA_ERROR_INVALID_VALUE;
  return tickets::take(ticket, context.handle(), nullptr, *pdptr);
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
  ticket.what = Ticket::kEvent;
  ticket.process = getpid();
  tickets::write(pHandle, ticket);
  return CUDA_SUCCESS;
}

CUresult IpcOpenEventHandle(Context& context, CUevent* phEvent, CUipcEventHandle handle) {
  const auto ticket = tickets::ticket_of(handle);
  if (ticket.what != Ticket::kEvent) return CUDA_ERROR_INVALID_VALUE;
  if (ticket.process == getpid()) return CUDA_ERROR_INVALID_CONTEXT;
  *phEvent = streams::add_event(context.handle(), CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda::functions
