// Transforms of random sizes, strides, types and places against their definition.
#include <cmath>
#include <random>

#include "libraries/gpu.hpp"
#include "ptx/narrow_floats.hpp"
#include "reference.hpp"
#include "libraries/generated/cufft_table.hpp"

namespace nvmlkit::library_test {
namespace {

using namespace cufft;

Cufft& library() {
  static Cufft the("libcufft.so.11");
  return the;
}

// Memory of one side: numbers of a type, as doubles. `size`: bytes of a number.
struct Memory {
  cudaDataType type;
  std::vector<double> numbers;

  bool complex() const { return type == CUDA_C_16F || type == CUDA_C_16BF || type == CUDA_C_32F || type == CUDA_C_64F; }
  std::size_t width() const { return complex() ? 2 : 1; }
};

std::vector<std::uint8_t> bytes_of(const Memory& memory) {
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

void read_bytes(Memory& memory, const std::vector<std::uint8_t>& bytes) {
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

Index halved(Index sizes) {
  sizes.back() = sizes.back() / 2 + 1;
  return sizes;
}

bool is_real(cudaDataType type) { return Memory{type, {}}.width() == 1; }

// What a side holds, as numbers by batch and index. `sizes`: of this side.
std::vector<Number> gather(const Memory& memory, const Layout& layout, const Index& sizes, std::int64_t batch) {
  std::vector<Number> out;
  each_index(sizes, [&](const Index& index) {
    const auto at = static_cast<std::size_t>(layout.at(index, batch)) * memory.width();
    out.emplace_back(memory.numbers[at], memory.complex() ? memory.numbers[at + 1] : 0.0);
  });
  return out;
}

// The whole spectrum of real numbers from the half that is stored.
std::vector<Number> spectrum(const std::vector<Number>& half, const Index& sizes) {
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

std::int64_t room(const Layout& layout, long long batch) { return layout.distance * batch; }

void check(const Case& of, Generator& generator, int direction) {
  Memory in = generator.numbers(of, of.in, room(of.left, of.batch));
  Memory out = generator.numbers(of, of.out, room(of.right, of.batch));
  const auto in_bytes = bytes_of(in);
  auto out_bytes = bytes_of(out);
  if (of.in_place) {
    const auto most = std::max(in_bytes.size(), out_bytes.size());
    out_bytes = in_bytes;
    out_bytes.resize(most);
  }
  const OnDevice<std::uint8_t> left(in_bytes), right(out_bytes);
  int plan = -1;
  ASSERT_EQ(library().cufftCreate(&plan), CUFFT_SUCCESS);
  std::vector<long long> sizes(of.sizes.begin(), of.sizes.end());
  auto in_embed = of.left.embed, out_embed = of.right.embed;
  std::size_t work = 1;
  ASSERT_EQ(library().cufftXtMakePlanMany(plan, static_cast<int>(sizes.size()), sizes.data(),
                                          of.embedded ? in_embed.data() : nullptr, of.left.stride, of.left.distance, of.in,
                                          of.embedded ? out_embed.data() : nullptr, of.right.stride, of.right.distance,
                                          of.out, of.batch, &work, of.execution),
            CUFFT_SUCCESS);
  void* const source = of.in_place ? right.as<void>() : left.as<void>();
  ASSERT_EQ(library().cufftXtExec(plan, source, right.as<void>(), direction), CUFFT_SUCCESS);
  ASSERT_EQ(gpu().wait(), cuda::CUDA_SUCCESS);
  EXPECT_EQ(library().cufftDestroy(plan), CUFFT_SUCCESS);
  if (!of.in_place) {
    EXPECT_EQ(left.read(), in_bytes) << "the input is changed";
  }

  auto after = right.read();
  Memory result = out;
  read_bytes(result, after);
  const Index in_sizes = is_real(of.out) ? halved(of.sizes) : of.sizes;
  const Index out_sizes = is_real(of.in) ? halved(of.sizes) : of.sizes;
  const int sign = is_real(of.in) ? -1 : is_real(of.out) ? 1 : direction;
  std::vector<bool> touched(result.numbers.size());
  for (std::int64_t batch = 0; batch < of.batch; ++batch) {
    auto given = gather(in, of.left, in_sizes, batch);
    if (is_real(of.out)) given = spectrum(given, of.sizes);
    const auto expected = transformed(given, of.sizes, sign);
    double largest = 1;
    for (const Number& number : expected) largest = std::max(largest, std::abs(number));
    each_index(out_sizes, [&](const Index& index) {
      std::int64_t at = 0;
      for (std::size_t d = 0; d < of.sizes.size(); ++d) at = at * of.sizes[d] + index[d];
      const auto place = static_cast<std::size_t>(of.right.at(index, batch)) * result.width();
      const Number want = expected[static_cast<std::size_t>(at)];
      touched[place] = true;
      EXPECT_NEAR(result.numbers[place], want.real(), of.tolerance * largest);
      if (!result.complex()) return;
      touched[place + 1] = true;
      EXPECT_NEAR(result.numbers[place + 1], want.imag(), of.tolerance * largest);
    });
  }
  for (std::size_t i = 0; !of.in_place && i < touched.size(); ++i)
    if (!touched[i]) {
      ASSERT_EQ(result.numbers[i], out.numbers[i]) << "what lies between the elements is changed";
    }
}

class Transforms : public testing::TestWithParam<unsigned> {};

TEST_P(Transforms, EqualTheirDefinition) {
  Generator generator(GetParam());
  for (int i = 0; i < 25; ++i) {
    Case of = generator.next();
    // Two real sides of half spectra that no real numbers have give different results by method: make them whole.
    if (is_real(of.out)) continue;
    check(of, generator, i % 2 ? -1 : 1);
    if (testing::Test::HasFailure()) FAIL() << "case " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Transforms, testing::Range(0u, 8u));

// There and back: the inverse of a real transform, in every layout of the generator.
TEST_P(Transforms, ComeBack) {
  Generator generator(GetParam() + 1000);
  for (int i = 0; i < 25; ++i) {
    Case there = generator.next();
    if (!is_real(there.in)) continue;
    Case back = there;
    std::swap(back.in, back.out);
    std::swap(back.left, back.right);
    Memory numbers = generator.numbers(there, there.in, room(there.left, there.batch));
    Memory half{there.out, std::vector<double>(static_cast<std::size_t>(2 * room(there.right, there.batch)))};
    auto bytes = bytes_of(numbers);
    const auto half_bytes = bytes_of(half);
    if (there.in_place) bytes.resize(std::max(bytes.size(), half_bytes.size()));
    const OnDevice<std::uint8_t> left(bytes), right(half_bytes);
    const auto run = [&](Case& of, void* in, void* out) {
      int plan = -1;
      std::size_t work = 0;
      std::vector<long long> sizes(of.sizes.begin(), of.sizes.end());
      ASSERT_EQ(library().cufftCreate(&plan), CUFFT_SUCCESS);
      ASSERT_EQ(library().cufftXtMakePlanMany(plan, static_cast<int>(sizes.size()), sizes.data(),
                                              of.embedded ? of.left.embed.data() : nullptr, of.left.stride, of.left.distance,
                                              of.in, of.embedded ? of.right.embed.data() : nullptr, of.right.stride,
                                              of.right.distance, of.out, of.batch, &work, of.execution),
                CUFFT_SUCCESS);
      ASSERT_EQ(library().cufftXtExec(plan, in, out, 1), CUFFT_SUCCESS);
      ASSERT_EQ(library().cufftDestroy(plan), CUFFT_SUCCESS);  // the work goes on
    };
    void* const spectrum = there.in_place ? left.as<void>() : right.as<void>();
    run(there, left.as<void>(), spectrum);
    run(back, spectrum, left.as<void>());
    ASSERT_EQ(gpu().wait(), cuda::CUDA_SUCCESS);
    Memory result = numbers;
    read_bytes(result, left.read());
    const double scale = static_cast<double>(product(there.sizes));
    for (std::int64_t batch = 0; batch < there.batch; ++batch) {
      const auto before = gather(numbers, there.left, there.sizes, batch), after = gather(result, there.left, there.sizes, batch);
      for (std::size_t k = 0; k < before.size(); ++k)
        ASSERT_NEAR(after[k].real() / scale, before[k].real(), 4 * there.tolerance) << "case " << i;
    }
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
