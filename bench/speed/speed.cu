// How much slower kernels are than plain C on one core, by processor time:
//   build/release/bin/nvmlkit run -m h100 -- build/release/bin/nvmlkit_speed_bench [NAME...]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "in_c.h"
#include "kernels.cuh"

namespace {

#define CHECK(call)                                                       \
  do {                                                                    \
    const cudaError_t error = (call);                                     \
    if (error != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
      std::exit(1);                                                       \
    }                                                                     \
  } while (0)

double seconds(const std::function<void()>& work) {
  work();  // compiles, fills caches
  double passed = 0;
  int times = 0;
  const auto start = std::clock();
  do {
    work();
    ++times;
    passed = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  } while (passed < 0.5);
  return passed / times;
}

template <class T>
class Array {
 public:
  explicit Array(std::size_t count, unsigned seed = 0) : host_(count) {
    for (std::size_t i = 0; i < count; ++i)
      host_[i] = static_cast<T>((i * 2654435761u + seed) >> 16 & 0xFF) + T(seed > 0);
    CHECK(cudaMalloc(&device_, count * sizeof(T)));
    CHECK(cudaMemcpy(device_, host_.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Array() { cudaFree(device_); }
  T* host() { return host_.data(); }
  T* device() { return device_; }
  // Largest difference, as a part of the largest value.
  double difference() {
    std::vector<T> got(host_.size());
    CHECK(cudaMemcpy(got.data(), device_, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
    double most = 0, largest = 1e-30;
    for (std::size_t i = 0; i < got.size(); ++i) {
      most = std::fmax(most, std::fabs(static_cast<double>(got[i]) - static_cast<double>(host_[i])));
      largest = std::fmax(largest, std::fabs(static_cast<double>(host_[i])));
    }
    return most / largest;
  }
  void clear() {
    std::memset(host_.data(), 0, host_.size() * sizeof(T));
    CHECK(cudaMemset(device_, 0, host_.size() * sizeof(T)));
  }

 private:
  std::vector<T> host_;
  T* device_ = nullptr;
};

struct Table {
  std::vector<std::string> wanted;
  double logarithms = 0;
  int rows = 0;
  bool right = true;

  bool wants(const std::string& name) const {
    if (wanted.empty()) return true;
    for (const auto& w : wanted)
      if (name.find(w) != std::string::npos) return true;
    return false;
  }
  template <class Kernel, class InC, class Difference>
  void row(const std::string& name, Kernel kernel, InC in_c, Difference difference) {
    if (!wants(name)) return;
    in_c();
    kernel();
    CHECK(cudaDeviceSynchronize());
    const double off = difference();
    const double slow = seconds([&] {
      kernel();
      CHECK(cudaDeviceSynchronize());
    }),
                 fast = seconds(in_c);
    std::printf("%-28s %10.2f ms %10.2f ms in C %8.1f times %s\n", name.c_str(), 1e3 * slow, 1e3 * fast, slow / fast,
                off < 1e-4 ? "" : "WRONG");
    std::fflush(stdout);
    right &= off < 1e-4;
    logarithms += std::log(slow / fast);
    ++rows;
  }
};

void vector_addition(Table& table) {
  const int n = 4 << 20;
  Array<float> a(n, 1), b(n, 2), c(n);
  table.row(
      "vector addition, 4 M", [&] { vector_add<<<n / 256, 256>>>(a.device(), b.device(), c.device(), n); },
      [&] { c_vector_add(a.host(), b.host(), c.host(), n); }, [&] { return c.difference(); });
}

void products(Table& table) {
  const int n = 512;
  Array<float> a(n * n, 1), b(n * n, 2), c(n * n);
  const dim3 threads(kTile, kTile), blocks(n / kTile, n / kTile);
  const auto in_c = [&] { c_sgemm(a.host(), b.host(), c.host(), n); };
  table.row(
      "SGEMM 512, naive", [&] { gemm<<<blocks, threads>>>(a.device(), b.device(), c.device(), n); }, in_c,
      [&] { return c.difference(); });
  table.row(
      "SGEMM 512, tiled", [&] { gemm_by_tiles<<<blocks, threads>>>(a.device(), b.device(), c.device(), n); }, in_c,
      [&] { return c.difference(); });
}

void double_product(Table& table) {
  const int n = 512;
  Array<double> a(n * n, 1), b(n * n, 2), c(n * n);
  const dim3 threads(kTile, kTile), blocks(n / kTile, n / kTile);
  table.row(
      "DGEMM 512", [&] { gemm<<<blocks, threads>>>(a.device(), b.device(), c.device(), n); },
      [&] { c_dgemm(a.host(), b.host(), c.host(), n); }, [&] { return c.difference(); });
}

void stencils(Table& table) {
  const int n = 2048;
  Array<float> a(n * n, 1), b(n * n);
  b.clear();
  const dim3 threads(32, 8), blocks(n / 32, n / 8);
  table.row(
      "stencil 2048x2048", [&] { stencil<<<blocks, threads>>>(a.device(), b.device(), n); },
      [&] { c_stencil(a.host(), b.host(), n); }, [&] { return b.difference(); });
}

void histograms(Table& table) {
  const int n = 4 << 20;
  Array<unsigned char> a(n);
  Array<unsigned> bins(256);
  const auto run = [&](auto kernel) {
    return [&, kernel] {
      CHECK(cudaMemset(bins.device(), 0, 256 * sizeof(unsigned)));
      kernel<<<256, 256>>>(a.device(), bins.device(), n);
    };
  };
  const auto in_c = [&] {
    std::memset(bins.host(), 0, 256 * sizeof(unsigned));
    c_histogram(a.host(), bins.host(), n);
  };
  table.row("histogram, global memory", run(histogram), in_c, [&] { return bins.difference(); });
  table.row("histogram, shared memory", run(histogram_shared), in_c, [&] { return bins.difference(); });
}

void gravity(Table& table) {
  const int n = 4096;
  Array<float> x(n, 1), y(n, 2), z(n, 3), pull(n);
  table.row(
      "n-body 4096", [&] { bodies<<<n / 256, 256>>>(x.device(), y.device(), z.device(), pull.device(), n); },
      [&] { c_bodies(x.host(), y.host(), z.host(), pull.host(), n); }, [&] { return pull.difference(); });
}

void options(Table& table) {
  const int n = 1 << 20;
  Array<float> price(n, 1), strike(n, 2), years(n, 3), call(n);
  table.row(
      "Black-Scholes, 1 M",
      [&] { black_scholes<<<n / 256, 256>>>(price.device(), strike.device(), years.device(), call.device(), n); },
      [&] { c_black_scholes(price.host(), strike.host(), years.host(), call.host(), n); },
      [&] { return call.difference(); });
}

void sums(Table& table) {
  const int n = 4 << 20;
  Array<float> in(n, 1), out(1);
  float sum = 0;
  table.row(
      "sum, 4 M",
      [&] {
        CHECK(cudaMemset(out.device(), 0, sizeof(float)));
        sum_of_blocks<<<256, 256>>>(in.device(), out.device(), n);
      },
      [&] { out.host()[0] = sum = c_sum(in.host(), n); },
      [&] { return out.difference() / 100; });  // the order of additions differs
}

void textures(Table& table) {
  const int n = 1024;
  Array<float> in(n * n, 1), out(n * n);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = in.device();
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = resource.res.pitch2D.height = n;
  resource.res.pitch2D.pitchInBytes = n * sizeof(float);
  const dim3 threads(32, 8), blocks(n / 32, n / 8);
  for (const bool linear : {false, true}) {
    cudaTextureDesc how{};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    cudaTextureObject_t texture = 0;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    table.row(
        linear ? "texture, linear" : "texture, points", [&] { picture<<<blocks, threads>>>(texture, out.device(), n); },
        [&] { (linear ? c_linear : c_points)(in.host(), out.host(), n); }, [&] { return out.difference(); });
    CHECK(cudaDestroyTextureObject(texture));
  }
}

void quotients(Table& table) {
  const int n = 1 << 20;
  Array<double> a(n, 1), b(n, 2), out(n);
  table.row(
      "sin(a / b) of doubles, 1 M", [&] { sines<<<n / 256, 256>>>(a.device(), b.device(), out.device(), n); },
      [&] { c_sines(a.host(), b.host(), out.host(), n); }, [&] { return out.difference(); });
}

}  // namespace

int main(int argc, char** argv) {
  Table table;
  table.wanted.assign(argv + 1, argv + argc);
  for (const auto part :
       {vector_addition, products, double_product, stencils, histograms, gravity, options, sums, textures, quotients})
    part(table);
  std::printf("%-28s %45.1f times\n", "geometric mean", std::exp(table.logarithms / table.rows));
  return table.right ? 0 : 1;
}
