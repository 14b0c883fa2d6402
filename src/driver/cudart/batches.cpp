// Several copies in one call, and advice about ranges of managed memory. The batches of CUDA 12 report the failed
// copy.
#include "driver/cudart/runtime.hpp"

#if NVMLKIT_CUDART_VERSION >= 12000
namespace nvmlkit::cudart {

struct CopyAttributes {
  int order;
  CUmemLocation from, to;
  unsigned flags;
};
static_assert(sizeof(CopyAttributes) == 24);

struct Operand {
  int type;  // 1 a pointer, 2 an array
  union {
    struct {
      void* pointer;
      std::size_t row_length, layer_height;  // in elements of one byte; 0: no padding
      CUmemLocation hint;
    } memory;
    struct {
      void* array;
      Place place;
    } array;
  };
};
struct BoxCopy {
  Operand from, to;
  Extent extent;
  int order;
  unsigned flags;
};
static_assert(sizeof(BoxCopy) == 112);

namespace {

constexpr int kMostOrder = 3;

// An index is the first element of its attribute: the indices begin with 0 and ascend.
bool are_starts(const std::size_t* starts, std::size_t count, std::size_t elements) {
  if (!starts || count == 0 || count > elements || starts[0] != 0) return false;
  for (std::size_t i = 1; i < count; ++i)
    if (starts[i] <= starts[i - 1] || starts[i] >= elements) return false;
  return true;
}

// do_one(i) for all; `failed` is the one that ended it, or the count where the call itself is wrong.
template <class Work>
Error each(std::size_t count, std::size_t* failed, bool is_right, Work do_one) {
  if (failed) *failed = count;
  if (!is_right || count == 0) return keep(kInvalidValue);
  if (const auto refused = ready(); refused != CUDA_SUCCESS) return keep(refused);
  for (std::size_t i = 0; i < count; ++i)
    if (const Error wrong = do_one(i)) {
      if (failed) *failed = i;
      return keep(wrong);
    }
  return 0;
}

Error copy_rows(void* const* to, const void* const* from, const std::size_t* sizes, std::size_t count,
                const CopyAttributes* attributes, const std::size_t* starts, std::size_t number, std::size_t* failed,
                CUstream stream) {
  bool is_right = to && from && sizes && attributes && are_starts(starts, number, count);
  for (std::size_t i = 0; is_right && i < number; ++i)
    is_right = attributes[i].order > 0 && attributes[i].order <= kMostOrder;
  return each(count, failed, is_right, [&](std::size_t i) -> Error {
    if (!to[i] || !from[i] || sizes[i] == 0) return kInvalidValue;
    return cuMemcpyAsync(address_of(to[i]), address_of(from[i]), sizes[i], stream);
  });
}

// One side of a copy of a box, as cudaMemcpy3D takes it.
bool find_operand(const Operand& o, const Extent& extent, void*& array, Place& place, Pitched& memory) {
  if (o.type == 2) {
    array = o.array.array;
    place = o.array.place;
    return array != nullptr;
  }
  const auto& m = o.memory;
  memory = {m.pointer, m.row_length ? m.row_length : extent.width, extent.width,
            m.layer_height ? m.layer_height : extent.height};
  return o.type == 1 && m.pointer;
}

Error copy_boxes(std::size_t count, const BoxCopy* copies, unsigned long long flags, std::size_t* failed,
                 CUstream stream) {
  return each(count, failed, copies && flags == 0, [&](std::size_t i) -> Error {
    const auto& one = copies[i];
    Copy3D box{};
    box.extent = one.extent;
    box.kind = 4;  // by address
    if (one.order <= 0 || one.order > kMostOrder ||
        !find_operand(one.from, one.extent, box.from_array, box.from_place, box.from) ||
        !find_operand(one.to, one.extent, box.to_array, box.to_place, box.to))
      return kInvalidValue;
    CUDA_MEMCPY3D copy{};
    if (const auto wrong = read_copy(&box, copy)) return wrong;
    return cuMemcpy3DAsync_v2(&copy, stream);
  });
}

Error prefetch_ranges(void** pointers, const std::size_t* sizes, std::size_t count, const CUmemLocation* places,
                      const std::size_t* starts, std::size_t number, unsigned long long flags, CUstream stream) {
  const bool is_right = pointers && sizes && places && are_starts(starts, number, count) && flags == 0;
  return each(count, nullptr, is_right, [&, place = std::size_t{0}](std::size_t i) mutable -> Error {
    if (place + 1 < number && starts[place + 1] <= i) ++place;
    return cuMemPrefetchAsync_v2(address_of(pointers[i]), sizes[i], places[place], 0, stream);
  });
}

// What is discarded may hold anything afterwards, what it held too.
Error discard_ranges(void** pointers, const std::size_t* sizes, std::size_t count, unsigned long long flags,
                     CUstream stream) {
  if (const auto refused = ready(); refused != CUDA_SUCCESS) return keep(refused);
  CUcontext context = nullptr;
  if (const auto result = cuStreamGetCtx(stream, &context); result != CUDA_SUCCESS) return keep(result);
  return each(count, nullptr, pointers && sizes && flags == 0, [&](std::size_t i) -> Error {
    unsigned is_managed = 0;
    const auto known = cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address_of(pointers[i]));
    return known == CUDA_SUCCESS && is_managed && sizes[i] > 0 ? 0 : kInvalidValue;
  });
}

}  // namespace

#if NVMLKIT_CUDART_VERSION >= 13000
NVMLKIT_RUNTIME Error cudaMemcpyBatchAsync(void* const* to, const void* const* from, const std::size_t* sizes,
                                           std::size_t count, CopyAttributes* attributes, std::size_t* starts,
                                           std::size_t number, CUstream stream) {
  return copy_rows(to, from, sizes, count, attributes, starts, number, nullptr, stream);
}
NVMLKIT_RUNTIME Error cudaMemcpy3DBatchAsync(std::size_t count, BoxCopy* copies, unsigned long long flags,
                                             CUstream stream) {
  return copy_boxes(count, copies, flags, nullptr, stream);
}
#else
NVMLKIT_RUNTIME Error cudaMemcpyBatchAsync(void* const* to, const void* const* from, const std::size_t* sizes,
                                           std::size_t count, CopyAttributes* attributes, std::size_t* starts,
                                           std::size_t number, std::size_t* failed, CUstream stream) {
  return copy_rows(to, from, sizes, count, attributes, starts, number, failed, stream);
}
NVMLKIT_RUNTIME Error cudaMemcpy3DBatchAsync(std::size_t count, BoxCopy* copies, unsigned long long flags,
                                             std::size_t* failed, CUstream stream) {
  return copy_boxes(count, copies, flags, failed, stream);
}
#endif
NVMLKIT_RUNTIME Error cudaMemPrefetchBatchAsync(void** pointers, std::size_t* sizes, std::size_t count,
                                                CUmemLocation* places, std::size_t* starts, std::size_t number,
                                                unsigned long long flags, CUstream stream) {
  return prefetch_ranges(pointers, sizes, count, places, starts, number, flags, stream);
}
NVMLKIT_RUNTIME Error cudaMemDiscardBatchAsync(void** pointers, std::size_t* sizes, std::size_t count,
                                               unsigned long long flags, CUstream stream) {
  return discard_ranges(pointers, sizes, count, flags, stream);
}
NVMLKIT_RUNTIME Error cudaMemDiscardAndPrefetchBatchAsync(void** pointers, std::size_t* sizes, std::size_t count,
                                                          CUmemLocation* places, std::size_t* starts,
                                                          std::size_t number, unsigned long long flags,
                                                          CUstream stream) {
  if (const auto wrong = discard_ranges(pointers, sizes, count, flags, stream)) return wrong;
  return prefetch_ranges(pointers, sizes, count, places, starts, number, flags, stream);
}

}  // namespace nvmlkit::cudart
#endif
