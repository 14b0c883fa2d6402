// Plans with several GPUs: what each one holds, before and after.
#include <algorithm>
#include <cmath>

#include "several.hpp"

namespace nvmlkit::library_test {
namespace {

// A single transform of two or three dimensions.
struct Slabs {
  Index sizes;  // of the transform
  Index box;    // of its numbers, in pairs of doubles
  cudaDataType source, target;

  bool has_real() const { return has_reals(source) || has_reals(target); }
  std::int64_t inner() const { return box.size() == 3 ? box[2] : 1; }

  // The pairs of one GPU, in natural order or divided by y.
  std::vector<double> of_gpu(const std::vector<double>& whole, int gpus, int gpu, bool shuffled) const {
    const Slice x(box[0], shuffled ? 1 : gpus, shuffled ? 0 : gpu), y(box[1], shuffled ? gpus : 1, shuffled ? gpu : 0);
    std::vector<double> out;
    for (auto i = x.first; i < x.first + x.count; ++i)
      for (auto j = y.first * inner(); j < (y.first + y.count) * inner(); ++j)
        for (int k = 0; k < 2; ++k) out.push_back(whole[static_cast<std::size_t>(2 * (i * box[1] * inner() + j) + k)]);
    return out;
  }
  // Real numbers with their gaps, as the library has them in place.
  std::vector<double> with_gaps(const std::vector<double>& reals) const {
    std::vector<double> out;
    for (std::size_t i = 0; i < reals.size(); ++i) {
      out.push_back(reals[i]);
      if (static_cast<std::int64_t>(i + 1) % sizes.back() == 0)
        out.resize(out.size() + static_cast<std::size_t>(2 * box.back() - sizes.back()));
    }
    return out;
  }
  std::vector<double> without_gaps(const std::vector<double>& reals) const {
    std::vector<double> out;
    for (std::size_t i = 0; i < reals.size(); ++i)
      if (static_cast<std::int64_t>(i) % (2 * box.back()) < sizes.back()) out.push_back(reals[i]);
    return out;
  }
  // The half that is stored of the spectrum of real numbers.
  std::vector<Number> half(const std::vector<Number>& spectrum) const {
    std::vector<Number> out;
    for (std::size_t i = 0; i < spectrum.size(); ++i)
      if (static_cast<std::int64_t>(i) % sizes.back() < box.back()) out.push_back(spectrum[i]);
    return out;
  }
};

class SeveralGpus : public testing::TestWithParam<unsigned> {
 protected:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  Slabs slabs() {
    Slabs out;
    out.sizes = {32 + below(6), 32 + below(6)};
    if (below(2)) out.sizes.push_back(2 + below(4));
    const bool doubles = below(2);
    const auto real = doubles ? CUDA_R_64F : CUDA_R_32F, complex = doubles ? CUDA_C_64F : CUDA_C_32F;
    const int kind = below(3);
    out.source = kind == 1 ? real : complex;
    out.target = kind == 2 ? real : complex;
    out.box = out.sizes;
    if (kind > 0) out.box.back() = out.box.back() / 2 + 1;
    return out;
  }

  std::mt19937 random_{GetParam()};
};

TEST_P(SeveralGpus, HaveEachAPartOfOneTransform) {
  for (int round = 0; round < 3; ++round) {
    const Slabs of = slabs();
    const int gpus = 2 + below(3), sign = below(2) ? 1 : -1;
    const bool from_real = has_reals(of.source), to_real = has_reals(of.target);
    // Real numbers, or complex ones; of complex ones that become real: their spectrum.
    const auto given = random_numbers(random_, product(of.sizes) * (of.has_real() ? 1 : 2));
    std::vector<Number> numbers;
    for (std::size_t i = 0; i < given.size(); i += of.has_real() ? 1 : 2)
      numbers.emplace_back(given[i], of.has_real() ? 0 : given[i + 1]);
    const auto result = transformed(numbers, of.sizes, of.has_real() ? -1 : sign);
    const auto spectrum = as_pairs(of.has_real() ? of.half(result) : result);
    auto before = to_real ? spectrum : from_real ? of.with_gaps(given) : given;
    std::vector<double> after = spectrum;
    const auto scale = static_cast<double>(product(of.sizes));
    if (to_real) {
      after = given;
      for (double& number : after) number *= scale;
    }
    Several several(gpus);
    ASSERT_EQ(several.make(of.sizes, of.source, of.target), CUFFT_SUCCESS);
    // Flat transforms to real numbers begin with the shuffled order only.
    const bool begins_shuffled = to_real && (of.sizes.size() == 2 || below(2));
    auto* const data = several.memory(begins_shuffled ? CUFFT_XT_FORMAT_INPLACE_SHUFFLED : CUFFT_XT_FORMAT_INPLACE);
    ASSERT_EQ(several.put(data, before), CUFFT_SUCCESS);
    for (int g = 0; g < gpus; ++g) {
      const auto part = of.of_gpu(before, gpus, g, begins_shuffled);
      ASSERT_EQ(several.part(*data, g, static_cast<std::int64_t>(part.size())),
                as_numbers(as_bytes(part, has_doubles(of.source)), has_doubles(of.source)));
    }
    ASSERT_EQ(library().cufftXtExecDescriptor(several.plan, data, data, sign), CUFFT_SUCCESS);
    ASSERT_EQ(data->format,
              static_cast<int>(begins_shuffled ? CUFFT_XT_FORMAT_INPLACE : CUFFT_XT_FORMAT_INPLACE_SHUFFLED));
    const auto count = 2 * product(of.box);
    const auto got = several.get(data, count);
    expect_near(to_real ? of.without_gaps(got) : got, after, several.tolerance());
    for (int g = 0; g < gpus; ++g) {
      const auto part = of.of_gpu(got, gpus, g, !begins_shuffled);
      ASSERT_EQ(several.part(*data, g, static_cast<std::int64_t>(part.size())), part);
    }
  }
}

TEST_P(SeveralGpus, BringResultsToNaturalOrderAndBack) {
  for (int round = 0; round < 2; ++round) {
    Slabs of = slabs();
    const int gpus = 2 + below(3);
    of.source = of.target = below(2) ? CUDA_C_64F : CUDA_C_32F;
    of.box = of.sizes;
    const auto given = random_numbers(random_, 2 * product(of.sizes));
    Several several(gpus);
    ASSERT_EQ(several.make(of.sizes, of.source, of.target), CUFFT_SUCCESS);
    auto* const data = several.memory(CUFFT_XT_FORMAT_INPLACE);
    auto* const natural = several.memory(CUFFT_XT_FORMAT_INPLACE);
    ASSERT_EQ(several.put(data, given), CUFFT_SUCCESS);
    ASSERT_EQ(library().cufftXtExecDescriptor(several.plan, data, data, -1), CUFFT_SUCCESS);
    const auto spectrum = several.get(data, 2 * product(of.sizes));
    ASSERT_EQ(library().cufftXtMemcpy(several.plan, natural, data, CUFFT_COPY_DEVICE_TO_DEVICE), CUFFT_SUCCESS);
    EXPECT_EQ(natural->format, static_cast<int>(CUFFT_XT_FORMAT_INPLACE));
    for (int g = 0; g < gpus; ++g) {
      const auto part = of.of_gpu(spectrum, gpus, g, false);
      ASSERT_EQ(several.part(*natural, g, static_cast<std::int64_t>(part.size())), part);
    }
    ASSERT_EQ(several.get(data, 2 * product(of.sizes)), spectrum);  // the source is as it was
    // Back from both orders.
    auto expected = given;
    for (double& number : expected) number *= static_cast<double>(product(of.sizes));
    for (auto* each : {data, natural}) {
      ASSERT_EQ(library().cufftXtExecDescriptor(several.plan, each, each, 1), CUFFT_SUCCESS);
      expect_near(several.get(each, 2 * product(of.sizes)), expected, 4 * several.tolerance());
    }
    EXPECT_EQ(data->format, static_cast<int>(CUFFT_XT_FORMAT_INPLACE));
    EXPECT_EQ(natural->format, static_cast<int>(CUFFT_XT_FORMAT_INPLACE_SHUFFLED));
  }
}

// In place, or from the input's memory to the output's; of one to three dimensions of any size.
TEST_P(SeveralGpus, ShareSeveralTransforms) {
  for (int round = 0; round < 6; ++round) {
    Index sizes;
    const auto rank = 1 + below(3);
    for (int d = 0; d < rank; ++d) sizes.push_back(1 + below(rank == 1 ? 40 : 7));
    const bool doubles = below(2), in_place = below(2), from_real = below(2);
    const int gpus = 2 + below(3), batch = 2 + below(7);
    const auto complex = doubles ? CUDA_C_64F : CUDA_C_32F, real = doubles ? CUDA_R_64F : CUDA_R_32F;
    Index half = sizes;
    if (from_real) half.back() = half.back() / 2 + 1;
    Several several(gpus);
    ASSERT_EQ(several.make(sizes, from_real ? real : complex, complex, batch), CUFFT_SUCCESS);
    // Numbers of a row, and what lies behind them.
    const auto row = sizes.back() * (from_real ? 1 : 2), room = from_real && in_place ? 2 * half.back() : row;
    const auto rows = product(sizes) / sizes.back() * batch;
    auto given = random_numbers(random_, rows * room);
    std::vector<double> expected;
    for (int b = 0; b < batch; ++b) {
      std::vector<Number> numbers;
      for (std::int64_t r = rows / batch * b; r < rows / batch * (b + 1); ++r)
        for (std::int64_t k = 0; k < row; k += from_real ? 1 : 2) {
          const auto at = static_cast<std::size_t>(r * room + k);
          numbers.emplace_back(given[at], from_real ? 0 : given[at + 1]);
        }
      const auto all = transformed(numbers, sizes, -1);
      for (std::size_t i = 0; i < all.size(); ++i)
        if (static_cast<std::int64_t>(i) % sizes.back() < half.back())
          expected.insert(expected.end(), {all[i].real(), all[i].imag()});
    }
    auto* const in = several.memory(in_place ? CUFFT_XT_FORMAT_INPLACE : CUFFT_XT_FORMAT_INPUT);
    auto* const out = in_place ? in : several.memory(CUFFT_XT_FORMAT_OUTPUT);
    ASSERT_EQ(several.put(in, given), CUFFT_SUCCESS);
    ASSERT_EQ(library().cufftXtExecDescriptor(several.plan, in, out, -1), CUFFT_SUCCESS);
    const auto of_one = 2 * product(half);
    for (int g = 0; g < gpus; ++g) {
      const Slice slice(batch, gpus, g);
      const std::vector<double> part(expected.begin() + slice.first * of_one,
                                     expected.begin() + (slice.first + slice.count) * of_one);
      expect_near(several.part(*out, g, slice.count * of_one), part, several.tolerance());
    }
    expect_near(several.get(out, batch * of_one), expected, several.tolerance());
    if (!in_place) {
      ASSERT_EQ(several.get(in, rows * room), given);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SeveralGpus, testing::Range(0u, 4u));

// A line of numbers: its results are strings, of which the documentation tells where number i is.
void check_line(std::int64_t size, int gpus, cudaDataType type) {
  std::mt19937 random(static_cast<unsigned>(size + gpus));
  Several several(gpus);
  ASSERT_EQ(several.make({size}, type, type), CUFFT_SUCCESS);
  LineFactors f{};
  ASSERT_EQ(library().cufftXtQueryPlan(several.plan, &f, CUFFT_QUERY_1D_FACTORS), CUFFT_SUCCESS);
  const auto given = random_numbers(random, 2 * size);
  std::vector<Number> numbers;
  for (std::size_t i = 0; i < given.size(); i += 2) numbers.emplace_back(given[i], given[i + 1]);
  const auto expected = transformed(numbers, {size}, -1);
  auto* const data = several.memory(CUFFT_XT_FORMAT_INPLACE);
  auto* const ordered = several.memory(CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED);
  for (auto* each : {data, ordered}) {
    ASSERT_EQ(several.put(each, given), CUFFT_SUCCESS);
    // Of the ordered input, number a + factor2 * b is on the GPU of a.
    const auto own = size / gpus;
    const auto part = several.part(*each, gpus - 1, 2 * own);
    EXPECT_EQ(part[0], given[static_cast<std::size_t>(2 * (each == data ? size - own : f.factor2 - f.factor2 / gpus))]);
    ASSERT_EQ(library().cufftXtExecDescriptor(several.plan, each, each, -1), CUFFT_SUCCESS);
    ASSERT_EQ(each->format, static_cast<int>(CUFFT_XT_FORMAT_INPLACE_SHUFFLED));
    expect_near(several.get(each, 2 * size), as_pairs(expected), several.tolerance());
    for (int g = 0; g < gpus; ++g) {
      std::vector<Number> strings;
      for (std::int64_t i = 0; i < own; ++i) {
        const auto substring = (i >> f.substring_shift) & f.factor2_mask;
        const auto string = ((i >> f.string_shift) & f.string_mask) + g * f.string_count / gpus;
        strings.push_back(expected[static_cast<std::size_t>((i & f.substring_mask) + (string << f.substring_shift) +
                                                            (substring << f.factor1_shift))]);
      }
      expect_near(several.part(*each, g, 2 * own), as_pairs(strings), several.tolerance());
    }
  }
  // Back: from natural order only.
  EXPECT_EQ(library().cufftXtExecDescriptor(several.plan, data, data, 1), CUFFT_INVALID_TYPE);
  EXPECT_EQ(several.put(data, given), CUFFT_INVALID_TYPE);
  auto* const natural = several.memory(CUFFT_XT_FORMAT_INPLACE);
  ASSERT_EQ(library().cufftXtMemcpy(several.plan, natural, data, CUFFT_COPY_DEVICE_TO_DEVICE), CUFFT_SUCCESS);
  ASSERT_EQ(library().cufftXtExecDescriptor(several.plan, natural, natural, 1), CUFFT_SUCCESS);
  auto back = given;
  for (double& number : back) number *= static_cast<double>(size);
  expect_near(several.get(natural, 2 * size), back, 4 * several.tolerance());
}

TEST(SeveralGpusAndALine, HaveStringsOfItsResults) {
  for (const int gpus : {2, 4})
    for (const std::int64_t size : {64, 128, 512, 1024}) {
      check_line(size, gpus, size == 128 ? CUDA_C_64F : CUDA_C_32F);
      if (testing::Test::HasFailure()) FAIL() << size << " numbers on " << gpus << " GPUs";
    }
  check_line(256, 8, CUDA_C_32F);
}

// As one GPU has it.
TEST(SeveralGpusAndALine, AgreeWithOne) {
  constexpr int kSize = 1 << 17;
  std::mt19937 random(3);
  const auto given = random_numbers(random, 2 * kSize);
  Several several(2);
  ASSERT_EQ(several.make({kSize}, CUDA_C_32F, CUDA_C_32F), CUFFT_SUCCESS);
  auto* const data = several.memory(CUFFT_XT_FORMAT_INPLACE);
  ASSERT_EQ(several.put(data, given), CUFFT_SUCCESS);
  ASSERT_EQ(library().cufftXtExecDescriptorC2C(several.plan, data, data, 1), CUFFT_SUCCESS);
  int plan = -1;
  ASSERT_EQ(library().cufftPlan1d(&plan, kSize, CUFFT_C2C, 1), CUFFT_SUCCESS);
  const OnDevice<std::uint8_t> one(as_bytes(given, false));
  ASSERT_EQ(library().cufftExecC2C(plan, one.as<Complex>(), one.as<Complex>(), 1), CUFFT_SUCCESS);
  ASSERT_EQ(gpu().wait(), cuda::CUDA_SUCCESS);
  expect_near(several.get(data, 2 * kSize), as_numbers(one.read(), false), several.tolerance());
  EXPECT_EQ(library().cufftDestroy(plan), CUFFT_SUCCESS);
}

// What NVIDIA's library chose for two GPUs.
TEST(SeveralGpusAndALine, KnowTheFactors) {
  struct Known {
    std::int64_t size;
    long long factor1, factor2, strings;
  };
  for (const Known& known : {Known{64, 16, 4, 2}, Known{128, 16, 8, 8}, Known{1024, 64, 16, 8},
                             Known{1 << 13, 1 << 8, 1 << 5, 8}, Known{1 << 24, 1 << 16, 1 << 8, 8}}) {
    Several several(2);
    ASSERT_EQ(several.make({known.size}, CUDA_C_32F, CUDA_C_32F), CUFFT_SUCCESS);
    LineFactors f{};
    ASSERT_EQ(library().cufftXtQueryPlan(several.plan, &f, CUFFT_QUERY_1D_FACTORS), CUFFT_SUCCESS);
    EXPECT_EQ(f.size, known.size);
    EXPECT_EQ(f.factor1, known.factor1);
    EXPECT_EQ(f.factor2, known.factor2);
    EXPECT_EQ(f.string_count, known.strings);
    EXPECT_EQ(f.string_length * f.string_count, f.size);
    EXPECT_EQ(f.substring_length * f.factor2, f.string_length);
    EXPECT_EQ(1LL << f.string_shift, f.string_length);
    EXPECT_EQ(f.factor1_mask, f.factor1 - 1);
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
