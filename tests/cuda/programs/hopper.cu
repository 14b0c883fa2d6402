// What GPUs have since Hopper: clusters of blocks, copies by tensor maps, products of groups of four warps.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_fp16.h>

#include "bulk_copies.cuh"
#include "check.hpp"
#include "sparse.cuh"

namespace cg = cooperative_groups;

// Each block reads its neighbour's values and adds their sum to the first block's.
__global__ void __cluster_dims__(4, 1, 1) neighbours(int* out, int* total) {
  __shared__ int values[32];
  __shared__ int sum;
  auto cluster = cg::this_cluster();
  const auto rank = cluster.block_rank();
  values[threadIdx.x] = static_cast<int>(blockIdx.x * 100 + threadIdx.x);
  if (threadIdx.x == 0) sum = 0;
  cluster.sync();
  const int* const other = cluster.map_shared_rank(values, (rank + 1) % cluster.num_blocks());
  out[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x];
  atomicAdd(cluster.map_shared_rank(&sum, 0), other[threadIdx.x]);
  cluster.sync();
  if (rank == 0 && threadIdx.x == 0) total[blockIdx.x / 4] = sum;
}

// One thread of each block sends numbers to the next one, whose barrier hears of them.
__global__ void sent(int* out) {
  extern __shared__ int received[];
  __shared__ unsigned long long barrier;
  auto cluster = cg::this_cluster();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)));
    asm volatile("fence.proxy.async.shared::cta;");
    asm volatile("fence.mbarrier_init.release.cluster;");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 8;" ::"r"(shared_address(&barrier)));
  }
  cluster.sync();
  if (threadIdx.x == 0) {
    unsigned at, told;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(shared_address(received)), "r"(next));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(told) : "r"(shared_address(&barrier)), "r"(next));
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.s32 [%0], {%1, %2}, [%3];" ::"r"(at),
                 "r"(blockIdx.x), "r"(-7), "r"(told));
  }
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n@!p bra "
      "again;\n}" ::"r"(shared_address(&barrier)));
  out[blockIdx.x] = received[0] + received[1];
  cluster.sync();
}

void check_clusters() {
  auto *out = managed<int>(256), *total = managed<int>(2);
  neighbours<<<8, 32>>>(out, total);
  OK(cudaDeviceSynchronize());
  for (int block = 0; block < 8; ++block)
    for (int i = 0; i < 32; ++i) EXPECT(out[block * 32 + i] == (block / 4 * 4 + (block + 1) % 4) * 100 + i);
  EXPECT(total[0] == 32 * 600 + 4 * 496 && total[1] == 32 * 2200 + 4 * 496);

  cudaLaunchConfig_t config{};
  config.gridDim = 16;
  config.blockDim = 32;
  config.dynamicSmemBytes = 64;
  cudaLaunchAttribute size{};
  size.id = cudaLaunchAttributeClusterDimension;
  size.val.clusterDim.x = 16;
  size.val.clusterDim.y = size.val.clusterDim.z = 1;
  config.attrs = &size;
  config.numAttrs = 1;
  EXPECT(cudaLaunchKernelEx(&config, sent, out) == cudaErrorInvalidClusterSize);  // more than 8 without asking
  OK(cudaFuncSetAttribute(sent, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  int number = 0;
  OK(cudaOccupancyMaxPotentialClusterSize(&number, sent, &config));
  EXPECT(number == 16);
  OK(cudaOccupancyMaxActiveClusters(&number, sent, &config));
  EXPECT(number > 0);
  OK(cudaLaunchKernelEx(&config, sent, out));
  OK(cudaDeviceSynchronize());
  for (int block = 0; block < 16; ++block) EXPECT(out[block] == (block + 15) % 16 - 7);
}

CUtensorMap encoded(void* address, CUtensorMapDataType type, cuuint64_t width, cuuint64_t height, cuuint64_t pitch,
                    cuuint32_t box_width, cuuint32_t box_height, CUtensorMapSwizzle swizzle) {
  static const auto encode = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result;
    OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result));
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
  }();
  CUtensorMap out;
  const cuuint64_t extents[] = {width, height}, strides[] = {pitch};
  const cuuint32_t box[] = {box_width, box_height}, steps[] = {1, 1};
  EXPECT(encode(&out, type, 2, address, extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  const cuuint32_t odd[] = {3, box_height};  // no multiple of 16 bytes
  CUtensorMap refused;                       // undefined from then on
  EXPECT(encode(&refused, type, 2, address, extents, strides, odd, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_ERROR_INVALID_VALUE);
  return out;
}

// A box from one place to another, with one more added to what is there.
__global__ void moved(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, int x, int y,
                      int* seen) {
  __shared__ __align__(1024) int box[8 * 16];
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)));
    asm volatile("fence.proxy.async.shared::cta;");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(shared_address(&barrier)));
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(shared_address(box)),
        "l"(&from), "r"(x), "r"(y), "r"(shared_address(&barrier)));
  }
  __syncthreads();
  wait_for(&barrier);
  for (unsigned i = threadIdx.x; i < 128; i += 32) seen[i] = box[i];
  __syncwarp();
  if (threadIdx.x == 0) {
    asm volatile("fence.proxy.async.shared::cta;");
    asm volatile(
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&to),
        "r"(0), "r"(0), "r"(shared_address(box)));
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group 0;");
  }
}

void check_tensor_maps() {
  constexpr int kWidth = 20, kHeight = 10;
  auto *from = managed<int>(kWidth * kHeight), *to = managed<int>(kWidth * kHeight), *seen = managed<int>(128);
  for (int i = 0; i < kWidth * kHeight; ++i) {
    from[i] = i;
    to[i] = 1000;
  }
  const auto inside = [](int x, int y) { return x >= 0 && x < kWidth && y >= 0 && y < kHeight; };
  for (const auto swizzle : {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_64B}) {
    const auto map = [&](int* p) {
      return encoded(p, CU_TENSOR_MAP_DATA_TYPE_INT32, kWidth, kHeight, kWidth * 4, 16, 8, swizzle);
    };
    for (const int x : {-3, 9}) {
      for (int i = 0; i < kWidth * kHeight; ++i) to[i] = 1000;
      moved<<<1, 32>>>(map(from), map(to), x, 5, seen);
      OK(cudaDeviceSynchronize());
      for (int row = 0; row < 8; ++row)
        for (int column = 0; column < 16; ++column) {
          const int expected = inside(x + column, 5 + row) ? (5 + row) * kWidth + x + column : 0;
          const int chunk = swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? column / 4 : column / 4 ^ (row / 2 & 3);
          EXPECT(seen[row * 16 + chunk * 4 + column % 4] == expected);
          EXPECT(to[row * kWidth + column] == 1000 + expected);
        }
      EXPECT(to[16] == 1000 && to[8 * kWidth] == 1000);
    }
  }
}

// Both matrices by tensor maps into rows of 128 bytes, of which pieces are exchanged; 64 rows by 64 halves each.
__global__ void grouped(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c) {
  extern __shared__ __align__(1024) unsigned char memory[];
  __shared__ unsigned long long barrier;
  const unsigned left = shared_address(memory), right = left + 8192;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)));
    asm volatile("fence.proxy.async.shared::cta;");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16384;" ::"r"(shared_address(&barrier)));
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];" ::"r"(
            left),
        "l"(&a), "r"(0), "r"(shared_address(&barrier)));
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];" ::"r"(
            right),
        "l"(&b), "r"(0), "r"(shared_address(&barrier)));
  }
  __syncthreads();
  wait_for(&barrier);
  // Rows of 8 are 1024 bytes; exchanges are those of 128 bytes.
  const auto descriptor = [](unsigned at) {
    return static_cast<unsigned long long>(at >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62;
  };
  float sum[4] = {1, 1, 1, 1};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (unsigned k = 0; k < 4; ++k)
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, -1, 0, 0;"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "l"(descriptor(left + k * 32)), "l"(descriptor(right + k * 32)));
  // The rows of the first product once more, as one that lies by columns: element (k, n) is row k of the right matrix.
  float other[4];
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %6, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 1;\n}"
      : "=f"(other[0]), "=f"(other[1]), "=f"(other[2]), "=f"(other[3])
      : "l"(descriptor(left)), "l"(descriptor(right)), "r"(0));
  asm volatile("wgmma.commit_group.sync.aligned;");
  asm volatile("wgmma.wait_group.sync.aligned 0;");
  const unsigned row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
  for (unsigned i = 0; i < 4; ++i) {
    const auto at = (row + i / 2 * 8) * 8 + column + i % 2;
    c[at] = sum[i];
    c[512 + at] = other[i];
  }
}

void check_group_products() {
  auto *a = managed<half>(4096), *b = managed<half>(4096);
  auto* c = managed<float>(1024);
  for (int i = 0; i < 4096; ++i) {
    a[i] = __float2half(static_cast<float>(i % 7 - 3));
    b[i] = __float2half(static_cast<float>(i % 11 - 5));
  }
  const auto map = [](half* p) {
    return encoded(p, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 64, 64, 128, 64, 64, CU_TENSOR_MAP_SWIZZLE_128B);
  };
  OK(cudaFuncSetAttribute(grouped, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  grouped<<<1, 128, 17 * 1024>>>(map(a), map(b), c);
  OK(cudaDeviceSynchronize());
  for (int row = 0; row < 64; ++row)
    for (int column = 0; column < 8; ++column) {
      float sum = 1, other = 0;
      for (int k = 0; k < 64; ++k) sum -= __half2float(a[row * 64 + k]) * __half2float(b[column * 64 + k]);
      for (int k = 0; k < 16; ++k) other += __half2float(a[row * 64 + k]) * __half2float(b[k * 64 + column]);
      EXPECT(c[row * 8 + column] == sum);
      EXPECT(c[512 + row * 8 + column] == other);
    }
}

// Four warps multiply 64 rows that are half zeros, from registers, by 8 columns of 64 bytes in shared memory.
#define SPARSE_GROUP(types, selector, scales)                                                                    \
  asm volatile("wgmma.mma_async.sp.sync.aligned." types " {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, %9, " selector \
               ", 1" scales ";"                                                                                  \
               : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])                                          \
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(right), "r"(told[threadIdx.x]))
template <sparse::Element kElement>
__global__ void grouped_sparse(const unsigned* a, const unsigned* told, const unsigned* b, unsigned* c) {
  using sparse::Element;
  __shared__ __align__(1024) unsigned columns[8 * 16];
  const unsigned row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  // Pieces of 16 bytes of the 8 columns one behind the other.
  columns[threadIdx.x] = b[threadIdx.x / 4 % 8 * 16 + threadIdx.x / 32 * 4 + t];
  __syncthreads();
  unsigned x[4], sum[4] = {};
  for (unsigned i = 0; i < 4; ++i) x[i] = a[(row + i % 2 * 8) * 8 + i / 2 * 4 + t];
  const auto right = static_cast<unsigned long long>(shared_address(columns) >> 4) | 8ull << 16 | 64ull << 32;
  asm volatile("fence.proxy.async.shared::cta;");
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  if constexpr (kElement == Element::half) SPARSE_GROUP("m64n8k32.f32.f16.f16", "1", ", 1, 1, 0");
  if constexpr (kElement == Element::tf32) SPARSE_GROUP("m64n8k16.f32.tf32.tf32", "0", ", 1, 1");
  if constexpr (kElement == Element::s8) SPARSE_GROUP("m64n8k64.s32.s8.s8", "0", "");
  asm volatile("wgmma.commit_group.sync.aligned;");
  asm volatile("wgmma.wait_group.sync.aligned 0;");
  for (unsigned i = 0; i < 4; ++i) c[(row + i / 2 * 8) * 8 + t * 2 + i % 2] = sum[i];
}

template <sparse::Element kElement>
void check_sparse_group(int selector) {
  sparse::check(kElement, 64, 1024 / sparse::bits_of(kElement) / 2, selector,
                [](const unsigned* a, const unsigned* told, const unsigned* b, unsigned* c) {
                  grouped_sparse<kElement><<<1, 128>>>(a, told, b, c);
                });
}

int main() {
  check_clusters();
  check_tensor_maps();
  check_group_products();
  check_sparse_group<sparse::Element::half>(1);
  check_sparse_group<sparse::Element::tf32>(0);
  check_sparse_group<sparse::Element::s8>(0);
  bulk::check_columns();
  bulk::check_replaced();
  bulk::check_reductions();
  std::puts("all is well");
}
