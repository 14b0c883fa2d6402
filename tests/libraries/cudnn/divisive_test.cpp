// Divisive normalization against its definition, gradients against differences.
#include "descriptors.hpp"

namespace nvmlkit::library_test {
namespace {

struct DivisiveOf : Owned<Lrn> {
  int n;
  double alpha, beta, k;
  explicit DivisiveOf(Dice& dice)
      : Owned(library().cudnnCreateLRNDescriptor, library().cudnnDestroyLRNDescriptor),
        n(dice.range(1, 6)),
        alpha(1 + dice.number()),
        beta(0.6 + 0.3 * dice.number()),
        k(1.5 + dice.number()) {
    EXPECT_EQ(library().cudnnSetLRNDescriptor(get(), static_cast<unsigned>(n), alpha, beta, k), CUDNN_STATUS_SUCCESS);
  }

  std::vector<double> divide(const std::vector<double>& x, const std::vector<double>& means, const Sizes& sizes) const {
    const std::int64_t w = sizes.back(), h = sizes[sizes.size() - 2], d = sizes.size() > 4 ? sizes[2] : 1;
    const std::int64_t before = (n - 1) / 2, behind = n - before - 1;
    const auto is_near = [&](std::int64_t a, std::int64_t b) { return b >= a - before && b <= a + behind; };
    std::vector<double> out;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i), plane = at / (d * h * w);
      double sum = 0;
      for (std::int64_t j = plane * d * h * w; j < (plane + 1) * d * h * w; ++j)
        if (is_near(at / (h * w) % d, j / (h * w) % d) && is_near(at / w % h, j / w % h) && is_near(at % w, j % w))
          sum += std::pow(x[static_cast<std::size_t>(j)] - means[i], 2);
      out.push_back(x[i] / std::pow(k + alpha / std::pow(n, static_cast<double>(sizes.size()) - 2) * sum, beta));
    }
    return out;
  }
};

// The slope of sum(slopes * y) at each of the numbers that `moved` moves.
template <class Divide>
std::vector<double> slopes_of(std::vector<double> at, const std::vector<double>& slopes, Divide divide) {
  std::vector<double> out;
  for (double& number : at) {
    double slope = 0;
    const double was = number;
    for (const double step : {1e-5, -1e-5}) {
      number = was + step;
      const auto y = divide(at);
      for (std::size_t j = 0; j < y.size(); ++j) slope += slopes[j] * y[j] / (2 * step);
    }
    number = was;
    out.push_back(slope);
  }
  return out;
}

std::vector<double> blended(double a, std::vector<double> now, double b, const std::vector<double>& before) {
  for (std::size_t k = 0; k < now.size(); ++k) now[k] = a * now[k] + b * before[k];
  return now;
}

TEST(Divisive, ForwardAndBack) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Dice dice(seed);
    Sizes sizes{dice.range(1, 2), dice.range(1, 3), dice.range(1, 5), dice.range(1, 5)};
    if (dice.range(0, 2) == 0) sizes.push_back(dice.range(1, 3));
    const DivisiveOf how(dice);
    const auto type = random_type(dice);
    const auto strides = random_strides(sizes, dice);
    const auto tensor = [&] { return OnGpu(type, sizes, strides, dice.numbers(count_of(sizes))); };
    const OnGpu x = tensor(), means = tensor(), y = tensor(), dy = tensor(), dx = tensor(), dmeans = tensor(),
                temp = tensor(), temp2 = tensor();
    const bool has_means = dice.range(0, 3), wants_means = dice.range(0, 3);
    const TensorOf of_all(x);
    const double a = dice.range(0, 1) ? 1 : 0.5, b = dice.range(0, 1) ? 0 : 0.25;
    const Factor alpha(a, type), beta(b, type);
    const auto in = x.read(), slopes = dy.read(), old_y = y.read(), old_dx = dx.read(), old_dmeans = dmeans.read();
    const auto middle = has_means ? means.read() : std::vector<double>(in.size());
    void* const given = has_means ? means.address() : nullptr;
    ASSERT_EQ(library().cudnnDivisiveNormalizationForward(handle(), how.get(), CUDNN_DIVNORM_PRECOMPUTED_MEANS,
                                                          alpha.get(), of_all.get(), x.address(), given, temp.address(),
                                                          temp2.address(), beta.get(), of_all.get(), y.address()),
              CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(library().cudnnDivisiveNormalizationBackward(handle(), how.get(), CUDNN_DIVNORM_PRECOMPUTED_MEANS,
                                                           alpha.get(), of_all.get(), x.address(), given, dy.address(),
                                                           temp.address(), temp2.address(), beta.get(), of_all.get(),
                                                           dx.address(), wants_means ? dmeans.address() : nullptr),
              CUDNN_STATUS_SUCCESS);
    wait();
    const auto what = "seed " + std::to_string(seed);
    expect_near(y.read(), blended(a, how.divide(in, middle, sizes), b, old_y), y.tolerance(2), what);
    const auto by_x = slopes_of(in, slopes, [&](const auto& at) { return how.divide(at, middle, sizes); });
    const auto by_mean = slopes_of(middle, slopes, [&](const auto& at) { return how.divide(in, at, sizes); });
    const double tolerance = std::max(1e-7, dx.tolerance(4));
    expect_near(dx.read(), blended(a, by_x, b, old_dx), tolerance, what + ", of x");
    expect_near(dmeans.read(), wants_means ? blended(a, by_mean, b, old_dmeans) : old_dmeans, tolerance,
                what + ", of the means");
  }
}

TEST(Divisive, WrongArguments) {
  Dice dice(3);
  const DivisiveOf how(dice);
  const Sizes sizes{2, 3, 4, 5}, other{2, 3, 4, 6}, flat{2, 3, 4};
  const OnGpu x(CUDNN_DATA_FLOAT, sizes, dense(sizes), dice.numbers(count_of(sizes)));
  const TensorOf of_x(x), of_other(CUDNN_DATA_FLOAT, other, dense(other)), of_flat(CUDNN_DATA_FLOAT, flat, dense(flat)),
      in_other_order(CUDNN_DATA_FLOAT, sizes, {60, 1, 15, 3}), of_doubles(CUDNN_DATA_DOUBLE, sizes, dense(sizes)), none;
  const float one = 1;
  const auto run = [&](Lrn* l, int mode, const TensorOf& from, const TensorOf& to, void* temp) {
    return library().cudnnDivisiveNormalizationForward(handle(), l, static_cast<cudnnDivNormMode_t>(mode), &one,
                                                       from.get(), x.address(), nullptr, temp, x.address(), &one,
                                                       to.get(), x.address());
  };
  EXPECT_EQ(run(how.get(), 0, of_x, of_x, x.address()), CUDNN_STATUS_SUCCESS);
  wait();
  EXPECT_EQ(run(nullptr, 0, of_x, of_x, x.address()), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(run(how.get(), 1, of_x, of_x, x.address()), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(run(how.get(), 0, of_x, of_other, x.address()), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(run(how.get(), 0, of_x, of_doubles, x.address()), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(run(how.get(), 0, of_flat, of_flat, x.address()), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(run(how.get(), 0, of_x, none, x.address()), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(run(how.get(), 0, of_x, of_x, nullptr), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(run(how.get(), 0, of_x, in_other_order, x.address()), CUDNN_STATUS_NOT_SUPPORTED);
}

}  // namespace
}  // namespace nvmlkit::library_test
