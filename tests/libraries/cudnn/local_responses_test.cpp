// Local response normalization across channels against its definition, gradients against differences.
#include "descriptors.hpp"

namespace nvmlkit::library_test {
namespace {

struct LrnOf : Owned<Lrn> {
  unsigned n;
  double alpha, beta, k;
  explicit LrnOf(Dice& dice)
      : Owned(library().cudnnCreateLRNDescriptor, library().cudnnDestroyLRNDescriptor),
        n(static_cast<unsigned>(dice.range(1, 7))),
        alpha(0.2 + 0.2 * dice.number()),
        beta(0.6 + 0.3 * dice.number()),
        k(1.5 + dice.number()) {
    EXPECT_EQ(library().cudnnSetLRNDescriptor(get(), n, alpha, beta, k), CUDNN_STATUS_SUCCESS);
  }

  // y of an image: sizes[1] channels.
  std::vector<double> respond(const std::vector<double>& x, const Sizes& sizes) const {
    const auto plane = count_of(sizes) / sizes[0] / sizes[1];
    std::vector<double> out;
    for (std::int64_t at = 0; at < count_of(sizes); ++at) {
      const std::int64_t c = at / plane % sizes[1], first = c - (static_cast<std::int64_t>(n) - 1) / 2;
      double sum = 0;
      for (std::int64_t j = first; j < first + static_cast<std::int64_t>(n); ++j)
        if (j >= 0 && j < sizes[1]) sum += std::pow(x[static_cast<std::size_t>(at + (j - c) * plane)], 2);
      out.push_back(x[static_cast<std::size_t>(at)] / std::pow(k + alpha / n * sum, beta));
    }
    return out;
  }
};

TEST(LocalResponses, ForwardAndBack) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Dice dice(seed);
    Sizes sizes{dice.range(1, 3), dice.range(1, 9), dice.range(1, 3), dice.range(1, 3)};
    if (dice.range(0, 3) == 0) sizes.push_back(dice.range(1, 3));
    const LrnOf lrn(dice);
    const auto type = random_type(dice);
    const auto tensor = [&] { return OnGpu(type, sizes, random_strides(sizes, dice), dice.numbers(count_of(sizes))); };
    const OnGpu x = tensor(), y = tensor(), dy = tensor(), dx = tensor();
    const TensorOf of_x(x), of_y(y), of_dy(dy), of_dx(dx);
    const double a = dice.range(0, 1) ? 1 : 0.5, b = dice.range(0, 1) ? 0 : 0.25;
    const Factor alpha(a, type), beta(b, type), one(1, type), zero(0, type);
    const auto in = x.read(), slopes = dy.read(), old = y.read();
    ASSERT_EQ(library().cudnnLRNCrossChannelForward(handle(), lrn.get(), CUDNN_LRN_CROSS_CHANNEL_DIM1, alpha.get(),
                                                    of_x.get(), x.address(), beta.get(), of_y.get(), y.address()),
              CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(library().cudnnLRNCrossChannelBackward(handle(), lrn.get(), CUDNN_LRN_CROSS_CHANNEL_DIM1, one.get(),
                                                     of_y.get(), y.address(), of_dy.get(), dy.address(), of_x.get(),
                                                     x.address(), zero.get(), of_dx.get(), dx.address()),
              CUDNN_STATUS_SUCCESS);
    wait();
    const auto what = "seed " + std::to_string(seed);
    auto wanted = lrn.respond(in, sizes);
    for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] = a * wanted[k] + b * old[k];
    expect_near(y.read(), wanted, y.tolerance(2), what);
    // The slope of sum(dy * y) at each element.
    std::vector<double> gradients;
    for (std::size_t k = 0; k < in.size(); ++k) {
      double slope = 0;
      for (const double step : {1e-5, -1e-5}) {
        auto moved = in;
        moved[k] += step;
        const auto out = lrn.respond(moved, sizes);
        for (std::size_t j = 0; j < out.size(); ++j) slope += slopes[j] * out[j] / (2 * step);
      }
      gradients.push_back(slope);
    }
    expect_near(dx.read(), gradients, std::max(1e-8, dx.tolerance(2)), what);
  }
}

TEST(LocalResponses, WrongArguments) {
  Dice dice(3);
  const LrnOf lrn(dice);
  const Sizes sizes{2, 3, 4, 5}, other{2, 3, 4, 6};
  const OnGpu x(CUDNN_DATA_FLOAT, sizes, dense(sizes), dice.numbers(count_of(sizes)));
  const TensorOf of_x(x), of_other(CUDNN_DATA_FLOAT, other, dense(other)), none;
  const Factor one(1, CUDNN_DATA_FLOAT);
  const auto run = [&](Lrn* l, int mode, const TensorOf& y, void* to) {
    return library().cudnnLRNCrossChannelForward(handle(), l, static_cast<cudnnLRNMode_t>(mode), one.get(), of_x.get(),
                                                 x.address(), one.get(), y.get(), to);
  };
  EXPECT_EQ(run(lrn.get(), 0, of_x, x.address()), CUDNN_STATUS_SUCCESS);
  wait();
  EXPECT_EQ(run(nullptr, 0, of_x, x.address()), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(run(lrn.get(), 1, of_x, x.address()), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(run(lrn.get(), 0, of_other, x.address()), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(run(lrn.get(), 0, none, x.address()), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(run(lrn.get(), 0, of_x, nullptr), CUDNN_STATUS_BAD_PARAM);
}

}  // namespace
}  // namespace nvmlkit::library_test
