// Batches of copies. All copies of a batch are looked at before the first one is handed to the stream: a batch with a
// wrong one copies nothing.
#include <limits>
#include <vector>

#include "driver/cuda/call.hpp"
#include "driver/cuda/functions/batches.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/streams/schedule.hpp"
#include "driver/cuda/textures/textures.hpp"
#include "driver/cuda/work/enqueue.hpp"
#include "driver/cuda/work/plan.hpp"

namespace nvmlkit::cuda::functions {
namespace {

constexpr auto kNone = std::numeric_limits<std::size_t>::max();  // the error is not that of one copy

// CUDA_MEMCPY3D_BATCH_OP, of which api.hpp has no fields.
struct Operand {
  unsigned type;  // CUmemcpy3DOperandType
  union {
    struct {
      CUdeviceptr address;
      std::size_t row_length, layer_height;  // in elements; 0: no padding
      CUmemLocation hint;
    } memory;
    struct {
      CUarray array;
      std::size_t x, y, z;  // in elements
    } array;
  };
};
struct BoxCopy {
  Operand from, to;
  std::size_t width, height, depth;  // in elements
  CUmemcpySrcAccessOrder order;
  unsigned flags;
};
static_assert(sizeof(BoxCopy) == 112);

struct OrderedCopy {
  CopyWork work;
  CUmemcpySrcAccessOrder order{};
};

bool is_known(CUmemcpySrcAccessOrder order, unsigned flags) {
  return order >= CU_MEMCPY_SRC_ACCESS_ORDER_STREAM && order <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY &&
         flags <= CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE;
}

CUresult look_at(const CopyWork& work) {
  Copy copy;
  return copy.find(work.copy);
}

// Documented: a source may be gone or changed when the call returns, if its order says so.
CUresult hand_over(Context& context, CUstream handle, const OrderedCopy& one) {
  const auto stream = streams::find(handle, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (one.order != CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL || stream->capture)
    return enqueue(context, handle, one.work);
  Copy copy;
  if (const auto result = copy.find(one.work.copy); result != CUDA_SUCCESS) return result;
  if (copy.is_to_pageable()) return enqueue(context, handle, one.work);  // is done in this call
  if (!copy.fits()) return CUDA_ERROR_OUT_OF_MEMORY;
  copy.stage();
  std::vector<Task> tasks;
  tasks.push_back(copy_task(context, std::move(copy)));
  return schedule::hand_over(*stream, std::move(tasks));
}

// make(i, copy) makes each of `count` copies. `failed` is the one that is wrong.
template <class Make>
CUresult copy_all(Context& context, CUstream stream, std::size_t count, std::size_t& failed, Make make) {
  failed = kNone;
  if (count == 0 || !batches::takes_batches(stream)) return CUDA_ERROR_INVALID_VALUE;
  if (!streams::find(stream, context)) return CUDA_ERROR_INVALID_HANDLE;
  std::vector<OrderedCopy> copies;
  for (std::size_t i = 0; i < count; ++i) {
    auto& one = copies.emplace_back();
    auto result = make(i, one);
    if (result == CUDA_SUCCESS) result = look_at(one.work);
    if (result == CUDA_SUCCESS) continue;
    failed = i;
    return result;
  }
  for (std::size_t i = 0; i < count; ++i)
    if (const auto result = hand_over(context, stream, copies[i]); result != CUDA_SUCCESS) {
      failed = i;
      return result;
    }
  return CUDA_SUCCESS;
}

// The element of an array, or 0 where the operand is none.
std::size_t element_of(const Operand& operand) {
  const auto array = operand.type == CU_MEMCPY_OPERAND_TYPE_ARRAY ? textures::find(operand.array.array) : nullptr;
  return array ? array->element_size() : 0;
}

bool is_right(const Operand& operand, const BoxCopy& box) {
  if (operand.type == CU_MEMCPY_OPERAND_TYPE_ARRAY) return element_of(operand) != 0;
  const auto& m = operand.memory;
  const auto holds = [](std::size_t length, std::size_t used) { return length == 0 || length >= used; };
  return operand.type == CU_MEMCPY_OPERAND_TYPE_POINTER && m.address && holds(m.row_length, box.width) &&
         holds(m.layer_height, box.height);
}

// Widths in elements, as the driver's own copies of boxes have bytes.
CUresult as_copy(const BoxCopy& box, CUDA_MEMCPY3D& c) {
  constexpr std::size_t kMost = std::size_t{1} << 40;  // no width in bytes wraps
  if (!is_known(box.order, box.flags) || !is_right(box.from, box) || !is_right(box.to, box))
    return CUDA_ERROR_INVALID_VALUE;
  if (box.width == 0 || box.height == 0 || box.depth == 0 || box.width > kMost) return CUDA_ERROR_INVALID_VALUE;
  const auto from = element_of(box.from), to = element_of(box.to);
  if (from && to && from != to) return CUDA_ERROR_INVALID_VALUE;
  const auto element = from ? from : to ? to : 1;
  const auto place = [&](const Operand& o, auto& type, auto& array, auto& address, auto& x, auto& y, auto& z,
                         auto& pitch, auto& height) {
    if (o.type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
      if (o.array.x > kMost) return false;
      type = CU_MEMORYTYPE_ARRAY;
      array = o.array.array;
      x = o.array.x * element;
      y = o.array.y;
      z = o.array.z;
      return true;
    }
    if (o.memory.row_length > kMost) return false;
    type = CU_MEMORYTYPE_UNIFIED;
    address = o.memory.address;
    pitch = (o.memory.row_length ? o.memory.row_length : box.width) * element;
    height = o.memory.layer_height ? o.memory.layer_height : box.height;
    return true;
  };
  c.WidthInBytes = box.width * element;
  c.Height = box.height;
  c.Depth = box.depth;
  const bool is_placed =
      place(box.from, c.srcMemoryType, c.srcArray, c.srcDevice, c.srcXInBytes, c.srcY, c.srcZ, c.srcPitch,
            c.srcHeight) &&
      place(box.to, c.dstMemoryType, c.dstArray, c.dstDevice, c.dstXInBytes, c.dstY, c.dstZ, c.dstPitch, c.dstHeight);
  return is_placed ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

CUresult MemcpyBatchAsync(Context& context, CUdeviceptr* dsts, CUdeviceptr* srcs, std::size_t* sizes, std::size_t count,
                          CUmemcpyAttributes* attrs, std::size_t* attrsIdxs, std::size_t numAttrs, std::size_t* failIdx,
                          CUstream hStream) {
  std::size_t nowhere = 0;
  auto& failed = failIdx ? *failIdx : nowhere;
  failed = kNone;
  if (!batches::are_starts(attrsIdxs, numAttrs, count)) return CUDA_ERROR_INVALID_VALUE;
  std::size_t of = 0;
  return copy_all(context, hStream, count, failed, [&](std::size_t i, OrderedCopy& one) {
    if (of + 1 < numAttrs && attrsIdxs[of + 1] <= i) ++of;
    one.order = attrs[of].srcAccessOrder;
    if (!is_known(one.order, attrs[of].flags) || !dsts[i] || !srcs[i] || sizes[i] == 0) return CUDA_ERROR_INVALID_VALUE;
    one.work = row_copy(context, dsts[i], CU_MEMORYTYPE_UNIFIED, srcs[i], CU_MEMORYTYPE_UNIFIED, sizes[i]);
    return CUDA_SUCCESS;
  });
}

CUresult MemcpyBatchAsync_v2(Context& context, CUdeviceptr* dsts, CUdeviceptr* srcs, std::size_t* sizes,
                             std::size_t count, CUmemcpyAttributes* attrs, std::size_t* attrsIdxs, std::size_t numAttrs,
                             CUstream hStream) {
  return MemcpyBatchAsync(context, dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, nullptr, hStream);
}

CUresult Memcpy3DBatchAsync(Context& context, std::size_t numOps, CUDA_MEMCPY3D_BATCH_OP* opList, std::size_t* failIdx,
                            unsigned long long flags, CUstream hStream) {
  std::size_t nowhere = 0;
  auto& failed = failIdx ? *failIdx : nowhere;
  failed = kNone;
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  const auto* const boxes = reinterpret_cast<const BoxCopy*>(opList);
  return copy_all(context, hStream, numOps, failed, [&](std::size_t i, OrderedCopy& one) {
    one.order = boxes[i].order;
    one.work.context = context.handle();
    return as_copy(boxes[i], one.work.copy);
  });
}

CUresult Memcpy3DBatchAsync_v2(Context& context, std::size_t numOps, CUDA_MEMCPY3D_BATCH_OP* opList,
                               unsigned long long flags, CUstream hStream) {
  return Memcpy3DBatchAsync(context, numOps, opList, nullptr, flags, hStream);
}

}  // namespace nvmlkit::cuda::functions
