// Contexts, and the current context of a thread.
#include "driver/cuda/context/context.hpp"

#include <algorithm>

#include "driver/cuda/call.hpp"
#include "driver/cuda/context/access.hpp"
#include "driver/cuda/context/limits.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/streams/schedule.hpp"
#include "driver/cuda/work/capture.hpp"

namespace nvmlkit::cuda::functions {
namespace {

// Null means the current one.
std::shared_ptr<Context> named(CUcontext handle) { return contexts::find(handle ? handle : contexts::top()); }

CUresult create(CUcontext* pctx, unsigned flags, CUdevice dev, unsigned api_version) {
  auto* device = find_device(dev);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  if (!are_context_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
  if (!may_be_used(*device)) return CUDA_ERROR_DEVICE_UNAVAILABLE;
  std::shared_ptr<Context> context;
  if (const auto result = contexts::make(*device, flags, false, api_version, context); result != CUDA_SUCCESS)
    return result;
  if (!contexts::push(context->handle())) {
    contexts::end(context->handle());
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *pctx = context->handle();
  return CUDA_SUCCESS;
}

}  // namespace

CUresult CtxCreate(CUcontext* pctx, unsigned int flags, CUdevice dev) { return create(pctx, flags, dev, 3010); }
CUresult CtxCreate_v2(CUcontext* pctx, unsigned int flags, CUdevice dev) { return create(pctx, flags, dev, 3020); }

CUresult CtxCreate_v3(CUcontext* pctx, CUexecAffinityParam*, int numParams, unsigned int flags, CUdevice dev) {
  if (numParams != 0) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  return create(pctx, flags, dev, 3020);
}

CUresult CtxCreate_v4(CUcontext* pctx, CUctxCreateParams* ctxCreateParams, unsigned int flags, CUdevice dev) {
  if (ctxCreateParams && ctxCreateParams->numExecAffinityParams != 0) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  if (ctxCreateParams && ctxCreateParams->cigParams) return CUDA_ERROR_NOT_SUPPORTED;
  return create(pctx, flags, dev, 3020);
}

CUresult CtxDestroy_v2(CUcontext ctx) {
  if (schedule::is_in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
  const auto context = contexts::find(ctx);
  if (!context || context->is_primary || context->green.load() || !contexts::end(ctx))
    return CUDA_ERROR_INVALID_CONTEXT;
  if (contexts::top() == ctx) contexts::pop();
  return CUDA_SUCCESS;
}

CUresult CtxAttach(CUcontext* pctx, unsigned int flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  const auto context = contexts::find(contexts::top());
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  context->with([](auto& s) { ++s.holds; });
  *pctx = context->handle();
  return CUDA_SUCCESS;
}

CUresult CtxDetach(CUcontext ctx) {
  const auto context = contexts::find(ctx);
  if (!context || ctx != contexts::top()) return CUDA_ERROR_INVALID_CONTEXT;
  return context->with([](auto& s) { return --s.holds; }) == 0 ? CtxDestroy_v2(ctx) : CUDA_SUCCESS;
}

CUresult CtxPushCurrent_v2(CUcontext ctx) {
  if (!contexts::find(ctx)) return CUDA_ERROR_INVALID_CONTEXT;
  return contexts::push(ctx) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult CtxPopCurrent_v2(CUcontext* pctx) {
  const auto top = contexts::top();
  if (!top) return CUDA_ERROR_INVALID_CONTEXT;
  contexts::pop();
  if (pctx) *pctx = top;
  return CUDA_SUCCESS;
}

CUresult CtxSetCurrent(CUcontext ctx) {
  if (ctx && !contexts::find(ctx)) return CUDA_ERROR_INVALID_CONTEXT;
  contexts::pop();
  return !ctx || contexts::push(ctx) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult CtxGetCurrent(CUcontext* pctx) {
  *pctx = contexts::top();
  return CUDA_SUCCESS;
}

CUresult CtxDestroy(CUcontext ctx) { return CtxDestroy_v2(ctx); }
CUresult CtxPushCurrent(CUcontext ctx) { return CtxPushCurrent_v2(ctx); }
CUresult CtxPopCurrent(CUcontext* pctx) { return CtxPopCurrent_v2(pctx); }

CUresult CtxGetDevice(Context& context, CUdevice* device) {
  *device = context.device.ordinal();
  return CUDA_SUCCESS;
}

CUresult CtxGetFlags(Context& context, unsigned int* flags) {
  *flags = context.with([](auto& s) { return s.flags; });
  return CUDA_SUCCESS;
}

CUresult CtxSetFlags(Context& context, unsigned int flags) {
  if (!are_context_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
  context.with([&](auto& s) { s.flags = flags; });
  return CUDA_SUCCESS;
}

CUresult CtxGetId(CUcontext ctx, unsigned long long* ctxId) {
  const auto context = named(ctx);
  if (!context) return ctx ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
  *ctxId = context->id;
  return CUDA_SUCCESS;
}

CUresult CtxGetApiVersion(CUcontext ctx, unsigned int* version) {
  const auto context = named(ctx);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  *version = context->api_version;
  return CUDA_SUCCESS;
}

CUresult CtxSynchronize(Context& context) {
  if (const auto result = captures::check_wait_for_all(context.handle()); result != CUDA_SUCCESS) return result;
  return schedule::wait_for_all(context);
}

CUresult CtxSetLimit(Context& context, CUlimit limit, std::size_t value) {
  if (limit >= CU_LIMIT_MAX) return CUDA_ERROR_INVALID_VALUE;
  if (!limits::initial(context.device, limit)) return CUDA_ERROR_UNSUPPORTED_LIMIT;
  const auto granted = limits::granted(context.device, limit, value);
  if (granted.result == CUDA_SUCCESS) context.with([&](auto& s) { s.limits[limit] = granted.value; });
  return granted.result;
}

CUresult CtxGetLimit(Context& context, std::size_t* pvalue, CUlimit limit) {
  if (limit >= CU_LIMIT_MAX) return CUDA_ERROR_INVALID_VALUE;
  const auto unset = limits::initial(context.device, limit);
  if (!unset) return CUDA_ERROR_UNSUPPORTED_LIMIT;
  *pvalue = context.with([&](auto& s) {
    const auto at = s.limits.find(limit);
    return at == s.limits.end() ? *unset : at->second;
  });
  return CUDA_SUCCESS;
}

CUresult CtxGetCacheConfig(Context& context, CUfunc_cache* pconfig) {
  *pconfig = context.with([](auto& s) { return s.cache; });
  return CUDA_SUCCESS;
}

CUresult CtxSetCacheConfig(Context& context, CUfunc_cache config) {
  if (config > CU_FUNC_CACHE_PREFER_EQUAL) return CUDA_ERROR_INVALID_VALUE;
  context.with([&](auto& s) { s.cache = config; });
  return CUDA_SUCCESS;
}

CUresult CtxGetSharedMemConfig(Context& context, CUsharedconfig* pConfig) {
  *pConfig = context.with([](auto& s) { return s.shared; });
  return CUDA_SUCCESS;
}

CUresult CtxSetSharedMemConfig(Context&, CUsharedconfig config) {
  return config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult CtxGetStreamPriorityRange(Context&, int* leastPriority, int* greatestPriority) {
  if (leastPriority) *leastPriority = streams::kLeastPriority;
  if (greatestPriority) *greatestPriority = streams::kGreatestPriority;
  return CUDA_SUCCESS;
}

CUresult CtxResetPersistingL2Cache(Context&) { return CUDA_SUCCESS; }

CUresult CtxEnablePeerAccess(Context& context, CUcontext peerContext, unsigned int Flags) {
  if (Flags != 0) return CUDA_ERROR_INVALID_VALUE;
  const auto peer = contexts::find(peerContext);
  if (!peer) return CUDA_ERROR_INVALID_CONTEXT;
  int reachable = 0;
  DeviceCanAccessPeer(&reachable, context.device.ordinal(), peer->device.ordinal());
  if (!reachable) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  return context.with([&](auto& s) {
    return s.peers.insert(peerContext).second ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  });
}

CUresult CtxDisablePeerAccess(Context& context, CUcontext peerContext) {
  if (!contexts::find(peerContext)) return CUDA_ERROR_INVALID_CONTEXT;
  return context.with(
      [&](auto& s) { return s.peers.erase(peerContext) ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED; });
}

}  // namespace nvmlkit::cuda::functions
