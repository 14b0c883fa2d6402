// Tensor cores, matrices between shared memory and registers, barriers in shared memory, textures, halves.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>

#include <cuda/barrier>
#include <vector>

#include "check.hpp"
#include "sparse.cuh"

using namespace nvcuda;

template <class T>
T* managed(std::size_t count) {
  T* out = nullptr;
  OK(cudaMallocManaged(&out, count * sizeof(T)));
  return out;
}

// One square tile, of K elements in the middle.
template <class T, class Fragment, class Sum, int K, int Side>
__global__ void product(const T* a, const T* b, Sum* c) {
  wmma::fragment<wmma::matrix_a, Side, Side, K, Fragment, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, Side, Side, K, Fragment, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, Side, Side, K, Sum> sum;
  wmma::fill_fragment(sum, Sum(1));
  wmma::load_matrix_sync(left, a, K);
  wmma::load_matrix_sync(right, b, K);
  wmma::mma_sync(sum, left, right, sum);
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = sum.x[i] * Sum(2);
  wmma::store_matrix_sync(c, sum, Side, wmma::mem_row_major);
}

template <class T, class Fragment, class Sum, int K, int Side = 16>
void check_product() {
  auto *a = managed<T>(Side * K), *b = managed<T>(Side * K);
  auto* c = managed<Sum>(Side * Side);
  for (int i = 0; i < Side * K; ++i) {
    a[i] = T(static_cast<float>(i % 7 - 3));
    b[i] = T(static_cast<float>(i % 5 - 2));
  }
  product<T, Fragment, Sum, K, Side><<<1, 32>>>(a, b, c);
  OK(cudaDeviceSynchronize());
  for (int row = 0; row < Side; ++row)
    for (int column = 0; column < Side; ++column) {
      float sum = 1;
      for (int k = 0; k < K; ++k) sum += float(a[row * K + k]) * float(b[column * K + k]);
      EXPECT(float(c[row * Side + column]) == 2 * sum);
    }
}

// Of doubles, rounded down and up: one and a little.
__global__ void rounded(double* out) {
  double low[2] = {1, 1}, high[2] = {1, 1};
  const double little = 1e-12;
  asm("wmma.mma.sync.aligned.row.col.m8n8k4.rm.f64.f64.f64.f64 {%0, %1}, {%2}, {%2}, {%0, %1};"
      : "+d"(low[0]), "+d"(low[1])
      : "d"(little));
  asm("wmma.mma.sync.aligned.row.col.m8n8k4.rp.f64.f64.f64.f64 {%0, %1}, {%2}, {%2}, {%0, %1};"
      : "+d"(high[0]), "+d"(high[1])
      : "d"(little));
  out[0] = low[0];
  out[1] = high[1];
}

// The same by hand: 16 by 8, the operands through shared memory.
__global__ void by_hand(const half* a, const half* b, float* c) {
  __shared__ __align__(16) half left[16 * 16], right[8 * 16];
  const unsigned lane = threadIdx.x;
  for (unsigned i = lane; i < 256; i += 32) left[i] = a[i];
  for (unsigned i = lane; i < 128; i += 32) right[i] = b[i];
  __syncwarp();
  unsigned x[4], y[2];
  const auto from = static_cast<unsigned>(__cvta_generic_to_shared(left + lane % 16 * 16 + lane / 16 * 8));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "r"(from));
  const auto with = static_cast<unsigned>(__cvta_generic_to_shared(right + lane % 8 * 16 + lane / 8 % 2 * 8));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(y[0]), "=r"(y[1]) : "r"(with));
  float sum[4] = {};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  for (unsigned i = 0; i < 4; ++i) c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = sum[i];
}

void check_by_hand() {
  auto *a = managed<half>(256), *b = managed<half>(128);
  auto* c = managed<float>(128);
  for (int i = 0; i < 256; ++i) a[i] = __float2half(static_cast<float>(i % 9 - 4));
  for (int i = 0; i < 128; ++i) b[i] = __float2half(static_cast<float>(i % 6 - 2));
  by_hand<<<1, 32>>>(a, b, c);
  OK(cudaDeviceSynchronize());
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      float sum = 0;
      for (int k = 0; k < 16; ++k) sum += __half2float(a[row * 16 + k]) * __half2float(b[column * 16 + k]);
      EXPECT(c[row * 8 + column] == sum);
    }
}

// Products of small integers: 16 by 8, and 64 elements of 4 bits or 256 bits in the middle. Lane 4 * g + t has rows g
// and g + 8 of the left matrix and column g of the right one.
__global__ void of_small(const unsigned* a, const unsigned* b, int* c, int* bits) {
  const unsigned group = threadIdx.x / 4, own = threadIdx.x % 4;
  const unsigned x[] = {a[group * 8 + own], a[(group + 8) * 8 + own], a[group * 8 + own + 4],
                        a[(group + 8) * 8 + own + 4]};
  const unsigned y[] = {b[group * 8 + own], b[group * 8 + own + 4]};
  int sum[4] = {}, common[4] = {};
  asm("mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
      "%1, "
      "%2, %3};"
      : "+r"(common[0]), "+r"(common[1]), "+r"(common[2]), "+r"(common[3])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  for (unsigned i = 0; i < 4; ++i) {
    const auto at = (group + i / 2 * 8) * 8 + own * 2 + i % 2;
    c[at] = sum[i];
    bits[at] = common[i];
  }
}

void check_small() {
  auto *a = managed<unsigned>(128), *b = managed<unsigned>(64);
  auto *c = managed<int>(128), *bits = managed<int>(128);
  for (unsigned i = 0; i < 128; ++i) a[i] = i * 2654435761u;
  for (unsigned i = 0; i < 64; ++i) b[i] = i * 2246822519u + 7;
  of_small<<<1, 32>>>(a, b, c, bits);
  OK(cudaDeviceSynchronize());
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      int sum = 0, different = 0;
      for (int k = 0; k < 64; ++k) {
        const int left = static_cast<int>(a[row * 8 + k / 8] << (28 - k % 8 * 4)) >> 28;
        sum += left * static_cast<int>(b[column * 8 + k / 8] >> k % 8 * 4 & 15);
      }
      for (int k = 0; k < 8; ++k) different += __builtin_popcount(a[row * 8 + k] ^ b[column * 8 + k]);
      EXPECT(c[row * 8 + column] == sum);
      EXPECT(bits[row * 8 + column] == different);
    }
}

// Lane 4 * g + t has word t of rows g and g + 8 of what is stored, and of column g; of longer rows also words 4 behind.
#define SPARSE_2(types, selector)                                                  \
  asm("mma.sp::ordered_metadata.sync.aligned." types                               \
      " {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3}, %8, " selector ";" \
      : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])                     \
      : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(told[threadIdx.x]))
#define SPARSE_4(types, selector)                                                                     \
  asm("mma.sp::ordered_metadata.sync.aligned." types                                                  \
      " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, " selector ";" \
      : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])                                        \
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]),       \
        "r"(told[threadIdx.x]))
template <sparse::Element kElement, int kDepth>
__global__ void of_sparse(const unsigned* a, const unsigned* told, const unsigned* b, unsigned* c) {
  using sparse::Element;
  constexpr unsigned kWords = kDepth * sparse::bits_of(kElement) / 64;  // of a row that is stored
  const unsigned g = threadIdx.x / 4, t = threadIdx.x % 4;
  unsigned x[4], y[4], sum[4] = {};
  for (unsigned i = 0; i < kWords / 2; ++i) {
    x[i] = a[(g + i % 2 * 8) * kWords + i / 2 * 4 + t];
    y[i] = b[g * 2 * kWords + i * 4 + t];
  }
  if constexpr (kElement == Element::half && kDepth == 16) SPARSE_2("m16n8k16.row.col.f32.f16.f16.f32", "2");
  if constexpr (kElement == Element::half && kDepth == 32) SPARSE_4("m16n8k32.row.col.f32.f16.f16.f32", "1");
  if constexpr (kElement == Element::tf32 && kDepth == 8) SPARSE_2("m16n8k8.row.col.f32.tf32.tf32.f32", "3");
  if constexpr (kElement == Element::tf32 && kDepth == 16) SPARSE_4("m16n8k16.row.col.f32.tf32.tf32.f32", "0");
  if constexpr (kElement == Element::s8) SPARSE_4("m16n8k64.row.col.s32.s8.s8.s32", "0");
  if constexpr (kElement == Element::e4m3) SPARSE_4("m16n8k64.row.col.f32.e4m3.e4m3.f32", "0");
  if constexpr (kElement == Element::s4) SPARSE_4("m16n8k128.row.col.s32.s4.s4.s32", "0");
  for (unsigned i = 0; i < 4; ++i) c[(g + i / 2 * 8) * 8 + t * 2 + i % 2] = sum[i];
}

template <sparse::Element kElement, int kDepth>
void check_sparse(int selector) {
  sparse::check(kElement, 16, kDepth, selector,
                [](const unsigned* a, const unsigned* told, const unsigned* b, unsigned* c) {
                  of_sparse<kElement, kDepth><<<1, 32>>>(a, told, b, c);
                });
}

__global__ void of_pairs(unsigned* out) {
  const unsigned a = 0xFFFE0007u + threadIdx.x, b = 0x00030005u;  // (-2, 7) and (3, 5)
  out[0] = __vimax_s16x2_relu(a, 0x8000FFFFu);
  out[1] = __viaddmax_s16x2(a, b, 0x0000000Du);
  out[2] = __vimin3_u16x2(a, b, 0x00040004u);
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(out[3]) : "r"(300), "r"(-4), "r"(0x1234u));
}

__global__ void reversed(int* out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ Barrier barrier;
  __shared__ int values[128];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  barrier.arrive_and_wait();
  out[threadIdx.x] = values[127 - threadIdx.x];
}

__global__ void narrow(float* out) {
  out[0] = static_cast<float>(__nv_fp8_e4m3(1.3f));
  out[1] = static_cast<float>(__nv_fp8_e4m3(1000.0f));
  out[2] = static_cast<float>(__nv_fp8_e5m2(-5.1f));
  out[3] = __half2float(__hadd_sat(__float2half(0.75f), __float2half(0.75f)));
  out[4] = __half2float(hsin(__float2half(1.0f)));
  out[5] = __half2float(__heq2(__floats2half2_rn(1, 2), __floats2half2_rn(1, 3)).x);
  // Of 128 bits: products, sums and quotients with carries.
  unsigned __int128 large = static_cast<unsigned __int128>(~0ull - threadIdx.x) * 12345678901ull;
  out[6] = static_cast<float>(static_cast<unsigned>(large / 7 % 1000003));
}

__global__ void sampled(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 1.0f, 0.5f);
}
__global__ void increased(cudaSurfaceObject_t surface) {
  float value;
  surf2Dread(&value, surface, threadIdx.x * 4, blockIdx.x);
  surf2Dwrite(value + 1, surface, threadIdx.x * 4, blockIdx.x);
}

void check_textures() {
  constexpr int kWidth = 32, kHeight = 4;
  std::vector<float> host(kWidth * kHeight);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>(i);
  const auto channels = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  OK(cudaMallocArray(&array, &channels, kWidth, kHeight, cudaArraySurfaceLoadStore));
  OK(cudaMemcpy2DToArray(array, 0, 0, host.data(), kWidth * 4, kWidth * 4, kHeight, cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how{};
  how.filterMode = cudaFilterModeLinear;
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t texture;
  cudaSurfaceObject_t surface;
  OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  OK(cudaCreateSurfaceObject(&surface, &resource));
  OK(cudaDestroySurfaceObject(0));
  auto* out = managed<float>(kWidth);
  increased<<<kHeight, kWidth>>>(surface);
  sampled<<<1, kWidth>>>(texture, out);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i + 1 < kWidth; ++i) EXPECT(out[i] == static_cast<float>(i) + 1.5f);
  EXPECT(out[kWidth - 1] == static_cast<float>(kWidth));  // beyond the edge is the edge
}

int main() {
  check_product<half, half, float, 16>();
  check_product<half, half, half, 16>();
  check_product<__nv_bfloat16, __nv_bfloat16, float, 16>();
  check_product<float, wmma::precision::tf32, float, 8>();
  check_product<signed char, signed char, int, 16>();
  check_product<double, double, double, 4, 8>();
  check_by_hand();
  check_textures();
  check_small();
  check_sparse<sparse::Element::half, 16>(2);
  check_sparse<sparse::Element::half, 32>(1);
  check_sparse<sparse::Element::tf32, 8>(3);
  check_sparse<sparse::Element::tf32, 16>(0);
  check_sparse<sparse::Element::s8, 64>(0);
  check_sparse<sparse::Element::e4m3, 64>(0);
  check_sparse<sparse::Element::s4, 128>(0);
  auto* pairs = managed<unsigned>(4);
  of_pairs<<<1, 1>>>(pairs);
  auto* ends = managed<double>(2);
  rounded<<<1, 32>>>(ends);
  auto* numbers = managed<int>(128);
  reversed<<<1, 128>>>(numbers);
  auto* out = managed<float>(8);
  narrow<<<1, 1>>>(out);
  OK(cudaDeviceSynchronize());
  EXPECT(pairs[0] == 7 && pairs[1] == 0x0001000D && pairs[2] == 0x00030004 && pairs[3] == 0x1234FF00);
  EXPECT(ends[0] == 1 && ends[1] > 1);
  EXPECT(numbers[0] == 127 && numbers[127] == 0);
  EXPECT(out[0] == 1.25f && out[1] == 448.0f && out[2] == -5.0f && out[3] == 1.0f);
  EXPECT(out[4] > 0.84f && out[4] < 0.845f && out[5] == 1.0f);
  const auto large = static_cast<unsigned __int128>(~0ull) * 12345678901ull;
  EXPECT(out[6] == static_cast<float>(static_cast<unsigned>(large / 7 % 1000003)));
  std::puts("all is well");
}
