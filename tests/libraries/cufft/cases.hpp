// Random transforms: sizes, types, layouts, numbers.
#pragma once

#include <random>

#include "library.hpp"
#include "ptx/narrow_floats.hpp"
#include "reference.hpp"

namespace nvmlkit::library_test {

using namespace cufft;

// Memory of one side: numbers of a type, as doubles. `size`: bytes of a number.
struct Memory {
  cudaDataType type;
  std::vector<double> numbers;

  bool complex() const { return type == CUDA_C_16F || type == CUDA_C_16BF || type == CUDA_C_32F || type == CUDA_C_64F; }
  std::size_t width() const { return complex() ? 2 : 1; }
};

inline std::vector<std::uint8_t> bytes_of(const Memory& memory) {
  std::vector<std::uint8_t> out;
  const auto add = [&](auto value) {
    const auto* at = reinterpret_cast<const std::uint8_t*>(&value);
    out.insert(out.end(), at, at + sizeof value);
  };
  for (const double number : memory.numbers) switch (memory.type) {
      case CUDA_R_64F:
      case CUDA_C_64F:
        add(number);
        break;
      case CUDA_R_16F:
      case CUDA_C_16F:
        add(ptx::Half::of(number).bits);
        break;
      case CUDA_R_16BF:
      case CUDA_C_16BF:
        add(ptx::Bfloat::of(number).bits);
        break;
      default:
        add(static_cast<float>(number));
    }
  return out;
}

inline void read_bytes(Memory& memory, const std::vector<std::uint8_t>& bytes) {
  const auto take = [&]<class T>(std::size_t i, T) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    return value;
  };
  for (std::size_t i = 0; i < memory.numbers.size(); ++i) switch (memory.type) {
      case CUDA_R_64F:
      case CUDA_C_64F:
        memory.numbers[i] = take(i, double{});
        break;
      case CUDA_R_16F:
      case CUDA_C_16F:
        memory.numbers[i] = static_cast<double>(ptx::Half::wide({take(i, std::uint16_t{})}));
        break;
      case CUDA_R_16BF:
      case CUDA_C_16BF:
        memory.numbers[i] = static_cast<double>(ptx::Bfloat::wide({take(i, std::uint16_t{})}));
        break;
      default:
        memory.numbers[i] = static_cast<double>(take(i, float{}));
    }
}

// Where the elements of a side are.
struct Layout {
  std::vector<long long> embed;  // empty: no gaps
  long long stride = 1, distance = 0;

  std::int64_t at(const Index& index, std::int64_t batch) const {
    std::int64_t out = 0;
    for (std::size_t d = 0; d < index.size(); ++d) out = out * (d ? embed[d] : 1) + index[d];
    return batch * distance + out * stride;
  }
};

struct Case {
  Index sizes;
  long long batch = 1;
  cudaDataType in, out, execution;
  bool in_place = false, embedded = false;
  Layout left, right;
  double tolerance = 0;  // of the largest number
};

inline Index halved(Index sizes) {
  sizes.back() = sizes.back() / 2 + 1;
  return sizes;
}

inline bool is_real(cudaDataType type) { return Memory{type, {}}.width() == 1; }

// What a side holds, as numbers by batch and index. `sizes`: of this side.
inline std::vector<Number> gather(const Memory& memory, const Layout& layout, const Index& sizes, std::int64_t batch) {
  std::vector<Number> out;
  each_index(sizes, [&](const Index& index) {
    const auto at = static_cast<std::size_t>(layout.at(index, batch)) * memory.width();
    out.emplace_back(memory.numbers[at], memory.complex() ? memory.numbers[at + 1] : 0.0);
  });
  return out;
}

// The whole spectrum of real numbers from the half that is stored.
inline std::vector<Number> spectrum(const std::vector<Number>& half, const Index& sizes) {
  std::vector<Number> out;
  const Index stored = halved(sizes);
  each_index(sizes, [&](const Index& index) {
    const bool mirrored = index.back() >= stored.back();
    std::int64_t at = 0;
    for (std::size_t d = 0; d < sizes.size(); ++d)
      at = at * stored[d] + (mirrored ? (sizes[d] - index[d]) % sizes[d] : index[d]);
    const Number value = half[static_cast<std::size_t>(at)];
    out.push_back(mirrored ? std::conj(value) : value);
  });
  return out;
}

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Case next() {
    Case out;
    const bool power = below(4) == 0;  // 16-bit numbers: sizes of powers of two
    const auto rank = 1 + below(3);
    for (int d = 0; d < rank; ++d) out.sizes.push_back(power ? 1 << below(4) : 1 + below(rank == 1 ? 40 : 9));
    out.batch = 1 + below(3);
    choose_types(out, power);
    out.in_place = below(3) == 0;
    out.embedded = below(2) == 0;
    const Index in = is_real(out.out) ? halved(out.sizes) : out.sizes;
    const Index to = is_real(out.in) ? halved(out.sizes) : out.sizes;
    if (out.embedded && !out.in_place) {
      out.left = gaps(in);
      out.right = gaps(to);
    } else {
      out.embedded = false;
      out.left = plain(in, out.in_place && is_real(out.in));
      out.right = plain(to, out.in_place && is_real(out.out));
    }
    return out;
  }

  Memory numbers(const Case& from, cudaDataType type, std::int64_t count) {
    Memory out{type, std::vector<double>(static_cast<std::size_t>(count) * (is_real(type) ? 1 : 2))};
    for (double& number : out.numbers) number = std::uniform_real_distribution<double>(-1, 1)(random_);
    read_bytes(out, bytes_of(out));
    static_cast<void>(from);
    return out;
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  void choose_types(Case& out, bool power) {
    struct Precision {
      cudaDataType real, complex;
      double tolerance;
    };
    const Precision all[] = {{CUDA_R_32F, CUDA_C_32F, 1e-6},
                             {CUDA_R_64F, CUDA_C_64F, 1e-14},
                             {CUDA_R_16F, CUDA_C_16F, 2e-3},
                             {CUDA_R_16BF, CUDA_C_16BF, 2e-2}};
    const Precision& chosen = all[power ? 2 + below(2) : below(2)];
    const int kind = below(3);
    out.in = kind == 1 ? chosen.real : chosen.complex;
    out.out = kind == 2 ? chosen.real : chosen.complex;
    out.execution = chosen.complex;
    out.tolerance = chosen.tolerance;
  }

  Layout plain(const Index& sizes, bool padded) {
    Layout out;
    out.embed.assign(sizes.begin(), sizes.end());
    if (padded) out.embed.back() = 2 * (sizes.back() / 2 + 1);
    out.distance = 1;
    for (const auto size : out.embed) out.distance *= size;
    return out;
  }

  Layout gaps(const Index& sizes) {
    Layout out;
    long long count = 1;
    for (const auto size : sizes) {
      out.embed.push_back(size + below(3));
      count *= out.embed.back();
    }
    out.stride = 1 + below(3);
    out.distance = count * out.stride + below(4);
    return out;
  }

  std::mt19937 random_;
};

}  // namespace nvmlkit::library_test
