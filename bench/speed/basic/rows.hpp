// The rows of the guide's first table.
#pragma once
#include "../table.hpp"
#include "in_c.h"
#include "kernels.cuh"

namespace basic {

inline void vector_addition(Table& table) {
  const int n = 4 << 20;
  Array<float> a(n, 1), b(n, 2), c(n);
  table.row(
      "vector addition, 4 M", [&] { vector_add<<<n / 256, 256>>>(a.device(), b.device(), c.device(), n); },
      [&] { c_vector_add(a.host(), b.host(), c.host(), n); }, [&] { return c.difference(); });
}

inline void products(Table& table) {
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

inline void double_product(Table& table) {
  const int n = 512;
  Array<double> a(n * n, 1), b(n * n, 2), c(n * n);
  const dim3 threads(kTile, kTile), blocks(n / kTile, n / kTile);
  table.row(
      "DGEMM 512", [&] { gemm<<<blocks, threads>>>(a.device(), b.device(), c.device(), n); },
      [&] { c_dgemm(a.host(), b.host(), c.host(), n); }, [&] { return c.difference(); });
}

inline void stencils(Table& table) {
  const int n = 2048;
  Array<float> a(n * n, 1), b(n * n);
  b.clear();
  const dim3 threads(32, 8), blocks(n / 32, n / 8);
  table.row(
      "stencil 2048x2048", [&] { stencil<<<blocks, threads>>>(a.device(), b.device(), n); },
      [&] { c_stencil(a.host(), b.host(), n); }, [&] { return b.difference(); });
}

inline void histograms(Table& table) {
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

inline void gravity(Table& table) {
  const int n = 4096;
  Array<float> x(n, 1), y(n, 2), z(n, 3), pull(n);
  table.row(
      "n-body 4096", [&] { bodies<<<n / 256, 256>>>(x.device(), y.device(), z.device(), pull.device(), n); },
      [&] { c_bodies(x.host(), y.host(), z.host(), pull.host(), n); }, [&] { return pull.difference(); });
}

inline void options(Table& table) {
  const int n = 1 << 20;
  Array<float> price(n, 1), strike(n, 2), years(n, 3), call(n);
  table.row(
      "Black-Scholes, 1 M",
      [&] { black_scholes<<<n / 256, 256>>>(price.device(), strike.device(), years.device(), call.device(), n); },
      [&] { c_black_scholes(price.host(), strike.host(), years.host(), call.host(), n); },
      [&] { return call.difference(); });
}

inline void sums(Table& table) {
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

inline void textures(Table& table) {
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

inline void quotients(Table& table) {
  const int n = 1 << 20;
  Array<double> a(n, 1), b(n, 2), out(n);
  table.row(
      "sin(a / b) of doubles, 1 M", [&] { sines<<<n / 256, 256>>>(a.device(), b.device(), out.device(), n); },
      [&] { c_sines(a.host(), b.host(), out.host(), n); }, [&] { return out.difference(); });
}

inline void all(Table& table) {
  for (const auto part :
       {vector_addition, products, double_product, stencils, histograms, gravity, options, sums, textures, quotients})
    part(table);
}

}  // namespace basic
