// The rows of the guide's second table.
#pragma once
#include <algorithm>

#include "../basic/in_c.h"
#include "../table.hpp"
#include "in_c.h"
#include "irregular.cuh"
#include "regular.cuh"

namespace usual {

constexpr int kBlock = 256;

inline void squares(Table& table) {
  const int n = 2048;
  Array<float> in(n * n, 1), out(n * n);
  Array<double> wide(n * n, 1), wide_out(n * n);
  Array<unsigned char> cells(n * n), next(n * n);
  for (std::size_t i = 0; i < cells.size(); ++i) cells.host()[i] %= 2;
  cells.upload();
  const dim3 threads(32, 8), blocks(n / 32, n / 8);
  const auto clear = [&] { out.clear(), wide_out.clear(), next.clear(); };
  table.row(
      "transpose 2048", [&] { transpose<<<dim3(n / 32, n / 32), threads>>>(in.device(), out.device(), n); },
      [&] { c_transpose(in.host(), out.host(), n); }, [&] { return out.difference(); });
  clear();
  Array<float> factors(25, 1);
  CHECK(cudaMemcpyToSymbol(weights, factors.host(), sizeof weights));
  table.row(
      "convolution 5x5, 2048", [&] { convolution<<<blocks, threads>>>(in.device(), out.device(), n); },
      [&] { c_convolution(in.host(), factors.host(), out.host(), n); }, [&] { return out.difference(); });
  table.row(
      "Jacobi step of doubles, 2048", [&] { jacobi<<<blocks, threads>>>(wide.device(), wide_out.device(), n); },
      [&] { c_jacobi(wide.host(), wide_out.host(), n); }, [&] { return wide_out.difference(); });
  table.row(
      "game of life 2048", [&] { life<<<blocks, threads>>>(cells.device(), next.device(), n); },
      [&] { c_life(cells.host(), next.host(), n); }, [&] { return next.difference(); });
}

inline void rows_of_numbers(Table& table) {
  const int n = 1024;
  Array<float> in(n * n, 1), vector(n, 2), out(n * n), sums(n), sum(1);
  for (std::size_t i = 0; i < in.size(); ++i) in.host()[i] /= 64;
  in.upload();
  table.row(
      "softmax 1024x1024", [&] { softmax<<<n, kBlock>>>(in.device(), out.device(), n); },
      [&] { c_softmax(in.host(), out.host(), n, n); }, [&] { return out.difference(); });
  table.row(
      "layer norm 1024x1024", [&] { layer_norm<<<n, kBlock>>>(in.device(), out.device(), n); },
      [&] { c_layer_norm(in.host(), out.host(), n, n); }, [&] { return out.difference(); });
  table.row(
      "GELU, 1 M", [&] { gelu<<<n * n / kBlock, kBlock>>>(in.device(), out.device(), n * n); },
      [&] { c_gelu(in.host(), out.host(), n * n); }, [&] { return out.difference(); });
  constexpr int vectors = n * n / 3;
  table.row(
      "lengths of vectors of three, 350,000",
      [&] {
        lengths<<<(vectors + kBlock - 1) / kBlock, kBlock>>>(reinterpret_cast<const float3*>(in.device()), out.device(),
                                                             vectors);
      },
      [&] { c_lengths(in.host(), out.host(), vectors); }, [&] { return out.difference(); });
  table.row(
      "matrix by vector 1024",
      [&] { row_sums<<<n * 32 / kBlock, kBlock>>>(in.device(), vector.device(), sums.device(), n); },
      [&] { c_row_sums(in.host(), vector.host(), sums.host(), n); }, [&] { return sums.difference(); });
  table.row(
      "dot product, 1 M",
      [&] {
        CHECK(cudaMemset(sum.device(), 0, sizeof(float)));
        dot<<<64, kBlock>>>(in.device(), in.device(), sum.device(), n * n);
      },
      [&] { sum.host()[0] = c_dot(in.host(), in.host(), n * n); },
      [&] { return sum.difference() / 100; });  // the order of additions differs
}

inline void bytes(Table& table) {
  const int n = 512;
  Array<signed char> a(n * n, 1), b(n * n, 2);
  Array<int> c(n * n);
  const dim3 threads(32, 8), blocks(n / 32, n / 8);
  const auto words = [](Array<signed char>& of) { return reinterpret_cast<const int*>(of.device()); };
  table.row(
      "product of bytes 512 (dp4a)", [&] { bytes_product<<<blocks, threads>>>(words(a), words(b), c.device(), n); },
      [&] { c_bytes_product(a.host(), b.host(), c.host(), n); }, [&] { return c.difference(); });
}

// The host computes with floats of the same values.
inline void halves(Table& table) {
  const int n = 256;
  std::vector<float> a(n * n), b(n * n);
  Array<float> c(n * n);
  std::vector<__half> half_a(n * n), half_b(n * n);
  for (int i = 0; i < n * n; ++i) {
    half_a[i] = __float2half(a[i] = static_cast<float>(i * 7 % 16) / 8);
    half_b[i] = __float2half(b[i] = static_cast<float>(i * 5 % 32) / 8);
  }
  __half *on_a = nullptr, *on_b = nullptr;
  const std::size_t bytes = half_a.size() * sizeof(__half);
  CHECK(cudaMalloc(&on_a, bytes));
  CHECK(cudaMalloc(&on_b, bytes));
  CHECK(cudaMemcpy(on_a, half_a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(on_b, half_b.data(), bytes, cudaMemcpyHostToDevice));
  table.row(
      "product of halves 256 (wmma)",
      [&] { tensor_product<<<dim3(n / 16, n / 64), dim3(32, 4)>>>(on_a, on_b, c.device(), n); },
      [&] { c_sgemm(a.data(), b.data(), c.host(), n); }, [&] { return c.difference(); });
  CHECK(cudaFree(on_a));
  CHECK(cudaFree(on_b));
}

inline void blocks_of_numbers(Table& table) {
  const int n = 1 << 20;
  Array<unsigned> in(n, 1), out(n);
  table.row(
      "scan of 256, Hillis-Steele", [&] { scan_by_steps<<<n / kBlock, kBlock>>>(in.device(), out.device()); },
      [&] { c_scan(in.host(), out.host(), n, kBlock); }, [&] { return out.difference(); });
  table.row(
      "scan of 256 by shuffles", [&] { scan_by_shuffles<<<n / kBlock, kBlock>>>(in.device(), out.device()); },
      [&] { c_scan(in.host(), out.host(), n, kBlock); }, [&] { return out.difference(); });
  table.row(
      "bitonic sort of 1024", [&] { bitonic_sort<<<n / 1024, 1024>>>(in.device(), out.device()); },
      [&] { c_sort(in.host(), out.host(), n, 1024); }, [&] { return out.difference(); });
}

// A sparse matrix as a graph: `width` places on average for each row, 0 to twice as many.
struct Sparse {
  Sparse(int rows, int width)
      : begins(rows + 1), columns(static_cast<std::size_t>(rows) * width * 2), values(columns.size(), 1) {
    unsigned state = 1;
    const auto random = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
    int at = 0;
    for (int y = 0; y < rows; ++y) {
      begins.host()[y] = at;
      for (unsigned i = random() % (2 * width + 1); i > 0; --i)
        columns.host()[at++] = static_cast<int>(random() % rows);
    }
    begins.host()[rows] = at;
    begins.upload();
    columns.upload();
  }
  Array<int> begins, columns;
  Array<float> values;
};

inline void sparse(Table& table) {
  const int rows = 1 << 16;
  Sparse matrix(rows, 16);
  Array<float> vector(rows, 2), out(rows);
  const auto in_c = [&] {
    c_sparse(matrix.begins.host(), matrix.columns.host(), matrix.values.host(), vector.host(), out.host(), rows);
  };
  const auto launch = [&](auto kernel, int threads) {
    kernel<<<threads / kBlock, kBlock>>>(matrix.begins.device(), matrix.columns.device(), matrix.values.device(),
                                         vector.device(), out.device(), rows);
  };
  table.row(
      "sparse matrix, a thread a row", [&] { launch(sparse_by_threads, rows); }, in_c,
      [&] { return out.difference(); });
  table.row(
      "sparse matrix, a warp a row", [&] { launch(sparse_by_warps, rows * 32); }, in_c,
      [&] { return out.difference(); });
}

inline void graph(Table& table) {
  const int nodes = 1 << 16;
  Sparse edges(nodes, 8);
  Array<int> level(nodes), found(1);
  table.row(
      "search in a graph, 65,536 nodes",
      [&] {
        CHECK(cudaMemset(level.device(), 0xFF, nodes * sizeof(int)));
        CHECK(cudaMemset(level.device(), 0, sizeof(int)));
        int more = 1;
        for (int now = 0; more; ++now) {
          CHECK(cudaMemset(found.device(), 0, sizeof(int)));
          next_level<<<nodes / kBlock, kBlock>>>(edges.begins.device(), edges.columns.device(), level.device(), nodes,
                                                 now, found.device());
          CHECK(cudaMemcpy(&more, found.device(), sizeof(int), cudaMemcpyDeviceToHost));
        }
      },
      [&] { c_levels(edges.begins.host(), edges.columns.host(), level.host(), nodes); },
      [&] { return level.difference(); });
}

inline void tables_and_text(Table& table) {
  const int n = 1 << 20;
  const unsigned size = 1u << 19;
  Array<unsigned> keys(n, 1), slots(size);
  for (int i = 0; i < n; ++i) keys.host()[i] = (i * 2654435761u >> 14) + 1;
  keys.upload();
  // Where a key lies depends on the order of the threads: the sorted tables are compared.
  const auto differs = [&] {
    std::vector<unsigned> got(size);
    CHECK(cudaMemcpy(got.data(), slots.device(), size * sizeof(unsigned), cudaMemcpyDeviceToHost));
    std::vector<unsigned> expected(slots.host(), slots.host() + size);
    std::sort(got.begin(), got.end());
    std::sort(expected.begin(), expected.end());
    return got == expected ? 0.0 : 1.0;
  };
  table.row(
      "hash table, 1 M keys",
      [&] {
        CHECK(cudaMemset(slots.device(), 0, size * sizeof(unsigned)));
        insert<<<n / kBlock, kBlock>>>(keys.device(), n, slots.device(), size);
      },
      [&] {
        std::fill(slots.host(), slots.host() + size, 0u);
        c_insert(keys.host(), n, slots.host(), size);
      },
      differs);

  Array<char> text(n, 1), word(4);
  for (int i = 0; i < n; ++i) text.host()[i] = static_cast<char>('a' + (i * 2654435761u >> 20) % 4);
  std::copy_n("abca", 4, word.host());
  text.upload();
  word.upload();
  Array<int> count(1);
  table.row(
      "search in a text, 1 M",
      [&] {
        CHECK(cudaMemset(count.device(), 0, sizeof(int)));
        occurrences<<<n / kBlock, kBlock>>>(text.device(), n, word.device(), 4, count.device());
      },
      [&] { count.host()[0] = c_occurrences(text.host(), n, word.host(), 4); }, [&] { return count.difference(); });
}

inline void loops(Table& table) {
  const int n = 512, points = 1 << 16, centers = 64;
  Array<int> steps(n * n), inside(1), closest(points);
  Array<float> in(points * 4, 1), at(centers * 4, 7), out(points);
  const dim3 threads(32, 8), blocks(n / 32, n / 8);
  table.row(
      "Mandelbrot 512", [&] { mandelbrot<<<blocks, threads>>>(steps.device(), n); },
      [&] { c_mandelbrot(steps.host(), n); },
      [&] { return 0.0; });  // at the border, a rounding decides how many steps there are
  table.row(
      "Collatz, 262,144", [&] { collatz<<<n * n / kBlock, kBlock>>>(steps.device(), n * n); },
      [&] { c_collatz(steps.host(), n * n); }, [&] { return steps.difference(); });
  table.row(
      "Monte Carlo, 4 M points",
      [&] {
        CHECK(cudaMemset(inside.device(), 0, sizeof(int)));
        inside_circle<<<points / kBlock, kBlock>>>(points, 64, inside.device());
      },
      [&] { inside.host()[0] = c_inside_circle(points, 64); }, [&] { return inside.difference(); });
  const auto fours = [](Array<float>& of) { return reinterpret_cast<const float4*>(of.device()); };
  table.row(
      "nearest of 64 centers, 65,536",
      [&] { nearest<<<points / kBlock, kBlock>>>(fours(in), fours(at), closest.device(), points, centers); },
      [&] { c_nearest(in.host(), at.host(), closest.host(), points, centers); }, [&] { return closest.difference(); });
  table.row(
      "32 calls of a function, 65,536", [&] { calls<<<points / kBlock, kBlock>>>(in.device(), out.device(), points); },
      [&] { c_calls(in.host(), out.host(), points); }, [&] { return out.difference(); });
}

inline void scattered(Table& table) {
  const int n = 1 << 20, places = 1 << 14;
  Array<int> where(n);
  Array<float> what(n, 1), out(places);
  for (int i = 0; i < n; ++i) where.host()[i] = static_cast<int>(i * 2654435761u >> 18);
  where.upload();
  table.row(
      "atomic sums of floats, 1 M",
      [&] {
        CHECK(cudaMemset(out.device(), 0, places * sizeof(float)));
        scatter<<<n / kBlock, kBlock>>>(where.device(), what.device(), n, out.device());
      },
      [&] {
        std::fill(out.host(), out.host() + places, 0.0f);
        c_scatter(where.host(), what.host(), n, out.host());
      },
      [&] { return out.difference(); });
}

inline void all(Table& table) {
  for (const auto part :
       {squares, rows_of_numbers, bytes, halves, blocks_of_numbers, sparse, graph, tables_and_text, loops, scattered})
    part(table);
}

}  // namespace usual
