// What single instructions give, beside the same computed on the host.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "check.hpp"
#include "integer_intrinsics.cuh"

constexpr int kCount = 4096;

struct Results {
  std::int32_t si[16];
  std::uint32_t ui[24];
  std::int64_t sl[8];
  std::uint64_t ul[8];
  float f[24];
  double d[12];
};

__host__ __device__ inline void plain(std::int32_t a, std::int32_t b, std::uint32_t u, std::uint32_t v, std::int64_t x,
                                      std::int64_t y, float p, float q, double r, double s, Results& out) {
  out.si[0] = static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  out.si[1] = b != 0 && b != -1 ? a / b : 0;
  out.si[2] = b != 0 && b != -1 ? a % b : 0;
  out.si[3] = a >> (u & 31);
  out.si[4] = a < b ? a : b;
  out.si[5] = static_cast<std::int8_t>(a);
  out.si[6] = static_cast<std::int16_t>(b);
  out.ui[0] = v != 0 ? u / v : 0;
  out.ui[1] = v != 0 ? u % v : 0;
  out.ui[2] = u * v + 7;
  out.ui[3] = (u & v) ^ (~u | (v << 3));
  out.ui[4] = u > v ? u : v;
  out.ui[5] = static_cast<std::uint8_t>(u) + static_cast<std::uint16_t>(v);
  out.sl[0] = static_cast<std::int64_t>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
  out.sl[1] = y != 0 && y != -1 ? x / y : 0;
  out.sl[2] = static_cast<std::int64_t>(a) * b;
  out.sl[3] = x >> (v & 63);
  out.ul[0] = static_cast<std::uint64_t>(u) * v;
  out.ul[1] = static_cast<std::uint64_t>(x) >> (u & 63);
  out.f[0] = p + q;
  out.f[1] = p * q;
  out.f[2] = p / q;
  out.f[3] = sqrtf(fabsf(p));
  out.f[4] = fmaf(p, q, 1.5f);
  out.f[5] = fminf(p, q);
  out.f[6] = floorf(p) + ceilf(q) + truncf(p) + rintf(q);
  out.f[7] = static_cast<float>(a);
  out.f[8] = static_cast<float>(u);
  out.f[9] = static_cast<float>(x);
  out.si[7] = static_cast<std::int32_t>(fmodf(p, 1000.0f));
  out.si[8] = p < q;
  out.d[0] = r + s;
  out.d[1] = r * s;
  out.d[2] = r / s;
  out.d[3] = sqrt(fabs(r));
  out.d[4] = fma(r, s, -2.25);
  out.d[5] = static_cast<double>(x);
  out.d[6] = static_cast<double>(p) + floor(s);
  out.f[10] = static_cast<float>(r);
}

__global__ void all(const std::uint32_t* seeds, Results* results) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const std::uint32_t* const w = seeds + 8 * i;
  const auto p = static_cast<float>(static_cast<std::int32_t>(w[2])) / 4096.0f;
  const auto q = static_cast<float>(static_cast<std::int32_t>(w[3])) / 65536.0f + 0.25f;
  plain(w[0], w[1], w[2], w[3], static_cast<std::int64_t>(w[4]) << 32 | w[5], static_cast<std::int64_t>(w[6]) - w[7], p,
        q, static_cast<double>(w[4]) - w[5], static_cast<double>(w[6]) / 3.0 + 1.0, results[i]);
}

// Clang takes what does not fit into an integer for undefined when it knows the number, so it comes from outside.
__global__ void special(std::uint32_t* out, float* reals, float minus_three, float huge) {
  const std::uint32_t a = 0x12345678u, b = 0x9abcdef0u;
  out[0] = __popc(b);
  out[1] = __clz(a);
  out[2] = __brev(a);
  out[3] = __byte_perm(a, b, 0x7531);
  out[4] = __umulhi(a, b);
  out[5] = static_cast<std::uint32_t>(__mulhi(static_cast<int>(a), static_cast<int>(b)));
  out[6] = __funnelshift_l(a, b, 12);
  out[7] = __funnelshift_r(a, b, 12);
  out[8] = __ffs(0x80);
  out[9] = __usad(a, b, 5);
  out[10] = static_cast<std::uint32_t>(__dp4a(static_cast<int>(a), static_cast<int>(b), 100));
  out[11] = __float2int_rd(-1.5f) + __float2int_ru(1.5f) * 100 + __float2int_rn(2.5f) * 10000;
  out[12] = __float2uint_rz(minus_three);
  out[13] = __float2int_rz(huge);
  out[14] = __umul24(0x01234567, 0x00fedcba);
  out[15] = static_cast<std::uint32_t>(__popcll(0xf0f0f0f0f0f0f0f0ull));
  reals[0] = __fadd_rz(1.0f, 1e-8f);
  reals[1] = __fadd_ru(1.0f, 1e-8f);
  reals[2] = __fdiv_rd(1.0f, 3.0f);
  reals[3] = __fdiv_ru(1.0f, 3.0f);
  reals[4] = sinf(1.0f);
  reals[5] = expf(1.0f);
  reals[6] = logf(10.0f);
  reals[7] = powf(2.0f, 0.5f);
  reals[8] = __saturatef(1.7f);
  reals[9] = rsqrtf(16.0f);
  reals[10] = tanhf(0.5f);
  reals[11] = erff(0.5f);
  reals[12] = static_cast<float>(cos(2.0));
  reals[13] = __sinf(0.5f);
}

__global__ void halves(const float* in, float* out) {
  const __half a = __float2half(in[0]), b = __float2half(in[1]);
  out[0] = __half2float(__hadd(a, b));
  out[1] = __half2float(__hmul(a, b));
  out[2] = __half2float(__hfma(a, b, a));
  out[3] = __half2float(hsqrt(a));
  const __half2 two = __hadd2(__floats2half2_rn(in[0], in[1]), __floats2half2_rn(1.0f, 2.0f));
  out[4] = __low2float(two);
  out[5] = __high2float(two);
  out[6] = __hlt(a, b) ? 1.0f : 0.0f;
  const __nv_bfloat16 c = __float2bfloat16(in[0]), d = __float2bfloat16(in[1]);
  out[7] = __bfloat162float(__hadd(c, d));
  out[8] = __bfloat162float(c);
  out[9] = __half2float(__int2half_rn(2049));
}

// Bytes and halves of words.
__global__ void parts(unsigned a, unsigned b, unsigned* out) {
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(out[0]) : "r"(a), "r"(b), "r"(5));
  asm("vadd4.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(out[1]) : "r"(a), "r"(b), "r"(0));
  asm("vavrg4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(out[2]) : "r"(a), "r"(b), "r"(0));
  asm("vmax2.u32.u32.u32 %0, %1, %2, %3;" : "=r"(out[3]) : "r"(a), "r"(b), "r"(0));
  asm("vsub4.u32.u32.u32.sat %0, %1, %2, %3;" : "=r"(out[4]) : "r"(a), "r"(b), "r"(0));
  asm("vadd2.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(out[5]) : "r"(0x7fff8000), "r"(0x0001ffff), "r"(0));
  asm("vavrg2.s32.s32.s32 %0, %1, %2, %3;" : "=r"(out[6]) : "r"(0xfffe0003), "r"(0xffff0004), "r"(0));
  asm("vset4.u32.s32.lt.add %0, %1, %2, %3;" : "=r"(out[7]) : "r"(0x80017f05), "r"(0x017f8006), "r"(40));
  asm("vset.s32.u32.le.max %0, %1, %2, %3;" : "=r"(out[8]) : "r"(-1), "r"(0x80000000), "r"(0));
}

std::vector<std::uint32_t> random_words() {
  std::vector<std::uint32_t> seeds(8 * kCount);
  std::uint64_t state = 88172645463325252ull;
  for (auto& s : seeds) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    s = static_cast<std::uint32_t>(state >> 16);
  }
  return seeds;
}

void check_operations(const std::vector<std::uint32_t>& seeds, std::uint32_t* device_seeds, Results* device_results) {
  OK(cudaMemset(device_results, 0, kCount * sizeof(Results)));
  OK(cudaMemcpy(device_seeds, seeds.data(), seeds.size() * 4, cudaMemcpyHostToDevice));
  all<<<kCount / 128, 128>>>(device_seeds, device_results);
  OK(cudaGetLastError());
  std::vector<Results> got(kCount);
  OK(cudaMemcpy(got.data(), device_results, kCount * sizeof(Results), cudaMemcpyDeviceToHost));
  for (int i = 0; i < kCount; ++i) {
    Results want;
    std::memset(&want, 0, sizeof want);
    const std::uint32_t* const w = seeds.data() + 8 * i;
    const auto p = static_cast<float>(static_cast<std::int32_t>(w[2])) / 4096.0f;
    const auto q = static_cast<float>(static_cast<std::int32_t>(w[3])) / 65536.0f + 0.25f;
    plain(w[0], w[1], w[2], w[3], static_cast<std::int64_t>(w[4]) << 32 | w[5], static_cast<std::int64_t>(w[6]) - w[7],
          p, q, static_cast<double>(w[4]) - w[5], static_cast<double>(w[6]) / 3.0 + 1.0, want);
    EXPECT(std::memcmp(want.si, got[i].si, sizeof want.si) == 0);
    EXPECT(std::memcmp(want.ui, got[i].ui, sizeof want.ui) == 0);
    EXPECT(std::memcmp(want.sl, got[i].sl, sizeof want.sl) == 0);
    EXPECT(std::memcmp(want.ul, got[i].ul, sizeof want.ul) == 0);
    // The compiler may fuse a product and a sum on the GPU.
    for (int k = 0; k < 24; ++k) EXPECT(std::fabs(want.f[k] - got[i].f[k]) <= 1e-6f * std::fabs(want.f[k]));
    for (int k = 0; k < 12; ++k) EXPECT(std::fabs(want.d[k] - got[i].d[k]) <= 1e-15 * std::fabs(want.d[k]));
  }
}

void check_special(std::uint32_t* device_seeds, Results* device_results) {
  std::uint32_t words[16];
  float reals[16];
  special<<<1, 1>>>(device_seeds, reinterpret_cast<float*>(device_results), -3.0f, 1e20f);
  OK(cudaMemcpy(words, device_seeds, sizeof words, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(reals, device_results, sizeof reals, cudaMemcpyDeviceToHost));
  EXPECT(words[0] == 19 && words[1] == 3 && words[2] == 0x1e6a2c48);
  EXPECT(words[3] == 0x9ade1256);
  EXPECT(words[4] == static_cast<std::uint32_t>(0x12345678ull * 0x9abcdef0ull >> 32));
  EXPECT(words[5] == static_cast<std::uint32_t>(
                         static_cast<std::int64_t>(0x12345678) * static_cast<std::int32_t>(0x9abcdef0) >> 32));
  EXPECT(words[6] == 0xcdef0123 && words[7] == 0xef012345);
  EXPECT(words[8] == 8);
  EXPECT(words[9] == 0x9abcdef0u - 0x12345678u + 5);
  const int bytes[2][4] = {{0x78, 0x56, 0x34, 0x12}, {-16, -34, -68, -102}};
  int dot = 100;
  for (int k = 0; k < 4; ++k) dot += bytes[0][k] * bytes[1][k];
  EXPECT(static_cast<int>(words[10]) == dot);
  EXPECT(static_cast<int>(words[11]) == -2 + 200 + 20000);
  EXPECT(words[12] == 0 && words[13] == 0x7fffffff);
  EXPECT(words[14] == static_cast<std::uint32_t>(0x234567ull * 0xfedcbaull));
  EXPECT(words[15] == 32);
  EXPECT(reals[0] == 1.0f && reals[1] == std::nextafter(1.0f, 2.0f));
  EXPECT(reals[2] < reals[3] && std::nextafter(reals[2], 1.0f) == reals[3]);
  const double close[12] = {std::sin(1.0), std::exp(1.0),  std::log(10.0), std::sqrt(2.0), 1.0,
                            0.25,          std::tanh(0.5), std::erf(0.5),  std::cos(2.0),  std::sin(0.5)};
  for (int k = 0; k < 10; ++k) EXPECT(std::fabs(reals[4 + k] - close[k]) < 2e-6);
}

void check_halves(std::uint32_t* device_seeds, Results* device_results) {
  float in[2] = {1.5f, 2.25f}, out[10];
  OK(cudaMemcpy(device_seeds, in, sizeof in, cudaMemcpyHostToDevice));
  halves<<<1, 1>>>(reinterpret_cast<float*>(device_seeds), reinterpret_cast<float*>(device_results));
  OK(cudaMemcpy(out, device_results, sizeof out, cudaMemcpyDeviceToHost));
  EXPECT(out[0] == 3.75f && out[1] == 3.375f && out[2] == 4.875f);
  EXPECT(std::fabs(out[3] - std::sqrt(1.5f)) < 1e-3f);
  EXPECT(out[4] == 2.5f && out[5] == 4.25f && out[6] == 1.0f && out[7] == 3.75f && out[8] == 1.5f);
  EXPECT(out[9] == 2048.0f);
}

void check_parts(std::uint32_t* device_seeds) {
  std::uint32_t words[16];
  parts<<<1, 1>>>(0x01ff8040, 0x02017fc0, device_seeds);
  OK(cudaMemcpy(words, device_seeds, sizeof words, cudaMemcpyDeviceToHost));
  const std::uint32_t parts_wanted[] = {389,        0x0300ff00, 0x02808080, 0x02018040, 0x00fe0100,
                                        0x7fff8000, 0xfffe0004, 42,         1};
  for (int k = 0; k < 9; ++k) EXPECT(words[k] == parts_wanted[k]);
}

int main() {
  const auto seeds = random_words();
  std::uint32_t* device_seeds = nullptr;
  Results* device_results = nullptr;
  OK(cudaMalloc(&device_seeds, seeds.size() * 4));
  OK(cudaMalloc(&device_results, kCount * sizeof(Results)));
  check_operations(seeds, device_seeds, device_results);
  check_special(device_seeds, device_results);
  check_halves(device_seeds, device_results);
  check_parts(device_seeds);
  integers::check();
  std::puts("all is well");
}
