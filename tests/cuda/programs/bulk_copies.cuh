// Copies of pixels for convolutions, tensor maps that kernels change, and reductions of many bytes at once.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <type_traits>

#include "barriers.cuh"

namespace bulk {

template <class Function>
Function* driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result;
  OK(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result));
  return reinterpret_cast<Function*>(found);
}

// A column of 16 pixels with 4 channels each, of a picture of 5 by 4 pixels.
constexpr int kChannels = 4, kWidth = 5, kHeight = 4, kPictures = 3, kPixels = 16;
__global__ void column(const __grid_constant__ CUtensorMap map, int x, int y, unsigned short offset_x,
                       unsigned short offset_y, int* out) {
  __shared__ __align__(128) int pixels[kPixels * kChannels];
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) {
    expect_bytes(&barrier, sizeof pixels);
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], "
        "[%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(shared_address(pixels)),
        "l"(&map), "r"(0), "r"(x), "r"(y), "r"(0), "r"(shared_address(&barrier)), "h"(offset_x), "h"(offset_y));
  }
  __syncthreads();
  wait_for(&barrier);
  for (unsigned i = threadIdx.x; i < kPixels * kChannels; i += 32) out[i] = pixels[i];
}

// The windows of a filter of 3 by 3 pixels that may reach one pixel beyond the picture.
void check_columns() {
  auto* const pictures = managed<int>(kPictures * kHeight * kWidth * kChannels);
  for (int i = 0; i < kPictures * kHeight * kWidth * kChannels; ++i) pictures[i] = i + 1;
  auto* const out = managed<int>(kPixels * kChannels);
  auto* const encode = driver_function<decltype(cuTensorMapEncodeIm2col)>("cuTensorMapEncodeIm2col");
  for (const cuuint32_t step : {1u, 2u}) {
    CUtensorMap map;
    const cuuint64_t extents[] = {kChannels, kWidth, kHeight, kPictures};
    const cuuint64_t strides[] = {4 * kChannels, 4 * kChannels * kWidth, 4 * kChannels * kWidth * kHeight};
    const int lower[] = {-1, -1}, upper[] = {-1, -1};
    const cuuint32_t steps[] = {1, step, step, 1};
    EXPECT(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, pictures, extents, strides, lower, upper, kChannels, kPixels,
                  steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    for (const unsigned short at : {0, 1, 2}) {
      int x = 1, y = step == 1 ? 0 : 1, picture = 0;  // the first window
      column<<<1, 32>>>(map, x, y, at, 2, out);
      OK(cudaDeviceSynchronize());
      for (int pixel = 0; pixel < kPixels; ++pixel) {
        const int from_x = x + at, from_y = y + 2;
        const bool is_inside = from_x >= 0 && from_x < kWidth && from_y >= 0 && from_y < kHeight && picture < kPictures;
        for (int c = 0; c < kChannels; ++c) {
          const int place = ((picture * kHeight + from_y) * kWidth + from_x) * kChannels + c;
          EXPECT(out[pixel * kChannels + c] == (is_inside ? place + 1 : 0));
        }
        // From -1 to the last place where the window ends one pixel beyond the picture.
        x += static_cast<int>(step);
        if (x > kWidth - 2) x = -1, y += static_cast<int>(step);
        if (y > kHeight - 2) y = -1, ++picture;
      }
    }
  }
}

// A map that a kernel changes in shared memory and uses from global memory.
__global__ void replaced(const __grid_constant__ CUtensorMap given, CUtensorMap* changed, const int* other, int* out) {
  __shared__ __align__(128) CUtensorMap map;
  __shared__ __align__(128) int box[8 * 4];
  __shared__ unsigned long long barrier;
  for (unsigned i = threadIdx.x; i < sizeof map / 4; i += 32)
    reinterpret_cast<unsigned*>(&map)[i] = reinterpret_cast<const unsigned*>(&given)[i];
  __syncwarp();
  const unsigned at = shared_address(&map);
  if (threadIdx.x == 0) {
    asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(at), "l"(other));
    asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], 1;" ::"r"(at));  // one less than there are
    asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, 12;" ::"r"(at));
    asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, 6;" ::"r"(at));
    asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, 64;" ::"r"(at));
    asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 0, 8;" ::"r"(at));
    asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 1, 4;" ::"r"(at));
    asm volatile("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 1, 1;" ::"r"(at));
    asm volatile("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 3;" ::"r"(at));  // s32
    asm volatile("tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], 0;" ::"r"(at));
    asm volatile("tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 0;" ::"r"(at));
    asm volatile("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 0;" ::"r"(at));
  }
  __syncwarp();
  asm volatile(
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(
          changed),
      "r"(at));
  if (threadIdx.x == 0) {
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(changed));
    expect_bytes(&barrier, sizeof box);
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(shared_address(box)),
        "l"(changed), "r"(-2), "r"(3), "r"(shared_address(&barrier)));
  }
  __syncwarp();
  wait_for(&barrier);
  out[threadIdx.x] = box[threadIdx.x];
}

void check_replaced() {
  auto *const first = managed<int>(20 * 10), *const other = managed<int>(16 * 6), *const out = managed<int>(32);
  for (int i = 0; i < 16 * 6; ++i) other[i] = 500 + i;
  auto* const changed = managed<CUtensorMap>(1);
  auto* const encode = driver_function<decltype(cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  CUtensorMap map;
  const cuuint64_t extents[] = {20, 10}, strides[] = {80};
  const cuuint32_t box[] = {4, 2}, steps[] = {1, 2};
  EXPECT(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, first, extents, strides, box, steps,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA) == CUDA_SUCCESS);
  replaced<<<1, 32>>>(map, changed, other, out);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; ++i) {
    const int x = i % 8 - 2, y = i / 8 + 3;
    EXPECT(out[i] == (x >= 0 && x < 12 && y < 6 ? 500 + y * 16 + x : 0));
  }
}

#define EACH_REDUCTION(X)                                       \
  X(unsigned, "add.u32", a + b)                                 \
  X(unsigned, "min.u32", std::min(a, b))                        \
  X(unsigned, "max.u32", std::max(a, b))                        \
  X(unsigned, "inc.u32", a >= b ? 0 : a + 1)                    \
  X(unsigned, "dec.u32", a == 0 || a > b ? b : a - 1)           \
  X(unsigned, "and.b32", a& b)                                  \
  X(unsigned, "or.b32", a | b)                                  \
  X(unsigned, "xor.b32", a ^ b)                                 \
  X(int, "add.s32", a + b)                                      \
  X(int, "min.s32", std::min(a, b))                             \
  X(int, "max.s32", std::max(a, b))                             \
  X(unsigned long long, "add.u64", a + b)                       \
  X(unsigned long long, "max.u64", std::max(a, b))              \
  X(long long, "min.s64", std::min(a, b))                       \
  X(unsigned long long, "xor.b64", a ^ b)                       \
  X(float, "add.f32", a + b)                                    \
  X(double, "add.f64", a + b)                                   \
  X(__half, "add.noftz.f16", __float2half(float(a) + float(b))) \
  X(__half, "min.f16", float(a) < float(b) ? a : b)             \
  X(__nv_bfloat16, "add.noftz.bf16", __float2bfloat16(float(a) + float(b)))
#define REDUCTION_COUNTED(...) +1
constexpr int kReductions = 0 EACH_REDUCTION(REDUCTION_COUNTED);
constexpr unsigned kBytes = 64;

// One of them for each block.
__global__ void reduce(unsigned char* into, const unsigned char* from) {
  __shared__ __align__(128) unsigned char bytes[kBytes];
  for (unsigned i = 0; i < kBytes; ++i) bytes[i] = from[blockIdx.x * kBytes + i];
  asm volatile("fence.proxy.async.shared::cta;");
  auto* const to = into + blockIdx.x * kBytes;
  unsigned number = 0;
#define REDUCED(type, how, ...)                                                                          \
  if (number++ == blockIdx.x)                                                                            \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." how " [%0], [%1], %2;" ::"l"(to), \
                 "r"(shared_address(bytes)), "r"(kBytes));
  EACH_REDUCTION(REDUCED)
  asm volatile("cp.async.bulk.commit_group;");
  asm volatile("cp.async.bulk.wait_group 0;");
}

template <class T>
T& element(unsigned char* bytes, int reduction, int i) {
  return reinterpret_cast<T*>(bytes + reduction * kBytes)[i];
}

void check_reductions() {
  auto* const into = managed<unsigned char>(kReductions * kBytes);
  auto* const from = managed<unsigned char>(kReductions * kBytes);
  alignas(8) unsigned char before[kReductions * kBytes];
  int number = 0;
#define PREPARED(type, how, ...)                                            \
  for (int i = 0; i < static_cast<int>(kBytes / sizeof(type)); ++i) {       \
    const int lowest = std::is_unsigned_v<type> ? 0 : -3;                   \
    element<type>(into, number, i) = static_cast<type>(i % 5 + lowest);     \
    element<type>(from, number, i) = static_cast<type>(i * 3 % 7 + lowest); \
    element<type>(before, number, i) = element<type>(into, number, i);      \
  }                                                                         \
  ++number;
  EACH_REDUCTION(PREPARED)
  reduce<<<kReductions, 1>>>(into, from);
  OK(cudaDeviceSynchronize());
  number = 0;
#define EXPECTED(type, how, ...)                                                                  \
  for (int i = 0; i < static_cast<int>(kBytes / sizeof(type)); ++i) {                             \
    const auto a = element<type>(before, number, i), b = element<type>(from, number, i);          \
    const type expected = __VA_ARGS__;                                                            \
    EXPECT(static_cast<double>(element<type>(into, number, i)) == static_cast<double>(expected)); \
  }                                                                                               \
  ++number;
  EACH_REDUCTION(EXPECTED)
}

}  // namespace bulk
