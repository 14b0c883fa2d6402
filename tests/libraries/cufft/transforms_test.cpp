// Transforms of random sizes, strides, types and places against their definition.
#include <cmath>

#include "cases.hpp"

namespace nvmlkit::library_test {
namespace {

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
                                          of.embedded ? in_embed.data() : nullptr, of.left.stride, of.left.distance,
                                          of.in, of.embedded ? out_embed.data() : nullptr, of.right.stride,
                                          of.right.distance, of.out, of.batch, &work, of.execution),
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
      ASSERT_EQ(library().cufftXtMakePlanMany(
                    plan, static_cast<int>(sizes.size()), sizes.data(), of.embedded ? of.left.embed.data() : nullptr,
                    of.left.stride, of.left.distance, of.in, of.embedded ? of.right.embed.data() : nullptr,
                    of.right.stride, of.right.distance, of.out, of.batch, &work, of.execution),
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
      const auto before = gather(numbers, there.left, there.sizes, batch),
                 after = gather(result, there.left, there.sizes, batch);
      for (std::size_t k = 0; k < before.size(); ++k)
        ASSERT_NEAR(after[k].real() / scale, before[k].real(), 4 * there.tolerance) << "case " << i;
    }
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
