// Fused operations: random convolutions with what stands before and behind them, statistics of normalizations.
#include "fused.hpp"

namespace nvmlkit::library_test {
namespace {

Sizes channels_of(const Sizes& sizes) {
  Sizes out(sizes.size(), 1);
  out[1] = sizes[1];
  return out;
}
OnGpu without_gaps(cudnnDataType_t type, const Sizes& sizes, Dice& dice) {
  return OnGpu(type, sizes, random_strides(sizes, dice, false), dice.numbers(count_of(sizes)));
}

// A random input of a convolution with the steps before it.
struct Before {
  OnGpu x, scale, bias;
  bool has_scale, has_bias, has_relu;

  Before(const ConvolutionCase& c, Dice& dice)
      : x(without_gaps(CUDNN_DATA_HALF, c.x, dice)),
        scale(without_gaps(dice.range(0, 1) ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT, channels_of(c.x), dice)),
        bias(without_gaps(scale.type(), channels_of(c.x), dice)),
        has_scale(dice.range(0, 2)),
        has_bias(dice.range(0, 2)),
        has_relu(dice.range(0, 1)) {}

  void set(const Fused& f) const {
    const TensorOf of_x(x), of_scale(scale.type(), scale.sizes(), dense(scale.sizes()));
    const ActivationOf relu(has_relu ? CUDNN_ACTIVATION_RELU : CUDNN_ACTIVATION_IDENTITY);
    f.set(CUDNN_PARAM_XDESC, of_x);
    f.set(CUDNN_PARAM_BN_EQSCALEBIAS_DESC, of_scale);
    f.set(CUDNN_PARAM_BN_MODE, CUDNN_BATCHNORM_SPATIAL);
    f.set(CUDNN_PARAM_ACTIVATION_DESC, relu);
    f.set(CUDNN_PARAM_XDATA_PLACEHOLDER, CUDNN_PTR_XDATA, x);
    if (has_scale) f.set(CUDNN_PARAM_BN_EQSCALE_PLACEHOLDER, CUDNN_PTR_BN_EQSCALE, scale);
    if (has_bias) f.set(CUDNN_PARAM_BN_EQBIAS_PLACEHOLDER, CUDNN_PTR_BN_EQBIAS, bias);
  }
  std::vector<double> made() const {
    auto out = x.read();
    const auto by = scale.read(), added = bias.read();
    const auto channels = static_cast<std::size_t>(x.sizes()[1]),
               plane = out.size() / channels / static_cast<std::size_t>(x.sizes()[0]);
    for (std::size_t k = 0; k < out.size(); ++k) {
      const auto channel = k / plane % channels;
      out[k] = out[k] * (has_scale ? by[channel] : 1) + (has_bias ? added[channel] : 0);
    }
    out = x.rounded(out);
    for (auto& v : out) v = has_relu ? std::max(0.0, v) : v;
    return out;
  }
};

TEST(Fused, ConvolutionsWithTheirStatistics) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Dice dice(seed);
    const ConvolutionCase c(dice, 2);
    const Before before(c, dice);
    const OnGpu w(CUDNN_DATA_HALF, c.w, dense(c.w), dice.numbers(count_of(c.w))),
        y = without_gaps(CUDNN_DATA_HALF, c.y, dice), sum = without_gaps(CUDNN_DATA_FLOAT, channels_of(c.y), dice),
        squares = without_gaps(CUDNN_DATA_FLOAT, channels_of(c.y), dice);
    const bool has_sums = dice.range(0, 3);
    const Fused f(CUDNN_FUSED_SCALE_BIAS_ACTIVATION_CONV_BNSTATS);
    {
      const TensorOf of_y(y), of_sums(sum.type(), sum.sizes(), dense(sum.sizes()));
      const FilterOf of_w(CUDNN_DATA_HALF, c.w, CUDNN_TENSOR_NCHW);
      const ConvolutionOf how(c);
      before.set(f);
      f.set(CUDNN_PARAM_CONV_DESC, how);
      f.set(CUDNN_PARAM_WDESC, of_w);
      f.set(CUDNN_PARAM_YDESC, of_y);
      f.set(CUDNN_PARAM_YSTATS_DESC, of_sums);
    }  // the pack has copies
    f.set(CUDNN_PARAM_WDATA_PLACEHOLDER, CUDNN_PTR_WDATA, w);
    f.set(CUDNN_PARAM_YDATA_PLACEHOLDER, CUDNN_PTR_YDATA, y);
    if (has_sums) f.set(CUDNN_PARAM_YSUM_PLACEHOLDER, CUDNN_PTR_YSUM, sum);
    if (has_sums) f.set(CUDNN_PARAM_YSQSUM_PLACEHOLDER, CUDNN_PTR_YSQSUM, squares);
    ASSERT_EQ(f.make(), CUDNN_STATUS_SUCCESS);
    const auto old_sum = sum.read(), old_squares = squares.read();
    ASSERT_EQ(f.run(), CUDNN_STATUS_SUCCESS);
    const auto in = before.made(), filters = w.read();
    std::vector<double> wanted(static_cast<std::size_t>(count_of(c.y)));
    c.each([&](std::size_t x, std::size_t tap, std::size_t to) { wanted[to] += in[x] * filters[tap]; });
    const auto got = y.read();
    const auto what = "seed " + std::to_string(seed);
    expect_near(got, wanted, y.tolerance(2), what);
    std::vector<double> sums(old_sum.size()), of_squares(old_sum.size());
    const auto plane = got.size() / sums.size() / static_cast<std::size_t>(c.y[0]);
    for (std::size_t k = 0; k < got.size(); ++k) {
      sums[k / plane % sums.size()] += got[k];
      of_squares[k / plane % sums.size()] += got[k] * got[k];
    }
    expect_near(sum.read(), has_sums ? sums : old_sum, sum.tolerance(10), what + ", sums");
    expect_near(squares.read(), has_sums ? of_squares : old_squares, sum.tolerance(10), what + ", squares");
  }
}

TEST(Fused, GradientsOfFilters) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Dice dice(seed);
    const ConvolutionCase c(dice, 2);
    const Before before(c, dice);
    const auto type = dice.range(0, 1) ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT;
    const OnGpu dw(type, c.w, dense(c.w), dice.numbers(count_of(c.w))), dy = without_gaps(CUDNN_DATA_HALF, c.y, dice);
    const Fused f(CUDNN_FUSED_SCALE_BIAS_ACTIVATION_WGRAD);
    const TensorOf of_dy(dy);
    const FilterOf of_dw(type, c.w, CUDNN_TENSOR_NCHW);
    const ConvolutionOf how(c);
    before.set(f);
    f.set(CUDNN_PARAM_CONV_DESC, how);
    f.set(CUDNN_PARAM_DWDESC, of_dw);
    f.set(CUDNN_PARAM_DYDESC, of_dy);
    f.set(CUDNN_PARAM_DWDATA_PLACEHOLDER, CUDNN_PTR_DWDATA, dw);
    f.set(CUDNN_PARAM_DYDATA_PLACEHOLDER, CUDNN_PTR_DYDATA, dy);
    ASSERT_EQ(f.make(), CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(f.run(), CUDNN_STATUS_SUCCESS);
    const auto in = before.made(), slopes = dy.read();
    std::vector<double> wanted(static_cast<std::size_t>(count_of(c.w)));
    c.each([&](std::size_t x, std::size_t tap, std::size_t to) { wanted[tap] += in[x] * slopes[to]; });
    expect_near(dw.read(), wanted, dw.tolerance(10), "seed " + std::to_string(seed));
  }
}

// A number for each channel; those of a variance are above 0.
OnGpu of_channels(cudnnDataType_t type, const Sizes& sizes, Dice& dice, bool is_positive = false) {
  auto numbers = dice.numbers(count_of(sizes));
  for (auto& v : numbers) v = is_positive ? 3 + v : v;
  return OnGpu(type, sizes, dense(sizes), numbers);
}

TEST(Fused, StatisticsBecomeScaleAndBias) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Dice dice(seed);
    const bool trains = dice.range(0, 1);
    const Sizes sizes{1, dice.range(1, 9), 1, 1};
    const auto type = dice.range(0, 1) ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT;
    const auto tensor = [&](cudnnDataType_t of, bool is_positive = false) {
      return of_channels(of, sizes, dice, is_positive);
    };
    const OnGpu sum = tensor(CUDNN_DATA_FLOAT), squares = tensor(CUDNN_DATA_FLOAT, true),
                scale = tensor(CUDNN_DATA_FLOAT), bias = tensor(CUDNN_DATA_FLOAT), mean = tensor(CUDNN_DATA_FLOAT),
                variance = tensor(CUDNN_DATA_FLOAT, true), saved = tensor(CUDNN_DATA_FLOAT),
                inverse = tensor(CUDNN_DATA_FLOAT), to_scale = tensor(type), to_bias = tensor(type);
    const bool keeps = !trains || dice.range(0, 1);
    const auto old_mean = mean.read(), old_variance = variance.read();
    const Fused f(trains ? CUDNN_FUSED_BN_FINALIZE_STATISTICS_TRAINING : CUDNN_FUSED_BN_FINALIZE_STATISTICS_INFERENCE);
    const TensorOf of_learned(scale), of_equivalent(to_scale), of_sums(sum);
    f.set(CUDNN_PARAM_BN_MODE, CUDNN_BATCHNORM_SPATIAL_PERSISTENT);
    f.set(CUDNN_PARAM_BN_SCALEBIAS_MEANVAR_DESC, of_learned);
    f.set(CUDNN_PARAM_BN_EQSCALEBIAS_DESC, of_equivalent);
    f.set(CUDNN_PARAM_BN_SCALE_PLACEHOLDER, CUDNN_PTR_BN_SCALE, scale);
    f.set(CUDNN_PARAM_BN_BIAS_PLACEHOLDER, CUDNN_PTR_BN_BIAS, bias);
    f.set(CUDNN_PARAM_BN_EQSCALE_PLACEHOLDER, CUDNN_PTR_BN_EQSCALE, to_scale);
    f.set(CUDNN_PARAM_BN_EQBIAS_PLACEHOLDER, CUDNN_PTR_BN_EQBIAS, to_bias);
    if (keeps) f.set(CUDNN_PARAM_BN_RUNNING_MEAN_PLACEHOLDER, CUDNN_PTR_BN_RUNNING_MEAN, mean);
    if (keeps) f.set(CUDNN_PARAM_BN_RUNNING_VAR_PLACEHOLDER, CUDNN_PTR_BN_RUNNING_VAR, variance);
    std::int64_t count = dice.range(2, 30);
    double factor = 0.25, epsilon = 1e-3;
    f.point(CUDNN_SCALAR_DOUBLE_BN_EPSILON, &epsilon);
    if (trains) {
      f.set(CUDNN_PARAM_YSTATS_DESC, of_sums);
      f.set(CUDNN_PARAM_YSUM_PLACEHOLDER, CUDNN_PTR_YSUM, sum);
      f.set(CUDNN_PARAM_YSQSUM_PLACEHOLDER, CUDNN_PTR_YSQSUM, squares);
      f.set(CUDNN_PARAM_BN_SAVED_MEAN_PLACEHOLDER, CUDNN_PTR_BN_SAVED_MEAN, saved);
      f.set(CUDNN_PARAM_BN_SAVED_INVSTD_PLACEHOLDER, CUDNN_PTR_BN_SAVED_INVSTD, inverse);
      f.point(CUDNN_SCALAR_INT64_T_BN_ACCUMULATION_COUNT, &count);
      f.point(CUDNN_SCALAR_DOUBLE_BN_EXP_AVG_FACTOR, &factor);
    }
    ASSERT_EQ(f.make(), CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(f.run(), CUDNN_STATUS_SUCCESS);
    const auto n = static_cast<double>(count);
    const auto sums = sum.read(), of_squares = squares.read(), by = scale.read(), added = bias.read();
    std::vector<double> new_mean = old_mean, new_variance = old_variance, means, inverses, scales, biases;
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const double middle = trains ? sums[k] / n : old_mean[k],
                   spread = trains ? of_squares[k] / n - middle * middle : old_variance[k];
      if (trains && keeps) new_mean[k] = 0.75 * old_mean[k] + 0.25 * middle;
      if (trains && keeps) new_variance[k] = 0.75 * old_variance[k] + 0.25 * spread * n / (n - 1);
      means.push_back(middle), inverses.push_back(1 / std::sqrt(spread + epsilon));
      scales.push_back(by[k] * inverses.back()), biases.push_back(added[k] - middle * scales.back());
    }
    const auto what = "seed " + std::to_string(seed);
    expect_near(to_scale.read(), scales, to_scale.tolerance(2), what + ", scale");
    expect_near(to_bias.read(), biases, to_bias.tolerance(2), what + ", bias");
    expect_near(mean.read(), new_mean, mean.tolerance(), what + ", mean");
    expect_near(variance.read(), new_variance, mean.tolerance(), what + ", variance");
    if (!trains) continue;
    expect_near(saved.read(), means, mean.tolerance(), what + ", saved mean");
    expect_near(inverse.read(), inverses, mean.tolerance(4), what + ", saved deviation");
  }
}

// A small convolution that is right, to be made wrong.
class FusedPlans : public testing::Test {
 protected:
  FusedPlans() {
    f.set(CUDNN_PARAM_XDESC, of_x);
    f.set(CUDNN_PARAM_WDESC, of_w);
    f.set(CUDNN_PARAM_YDESC, of_y);
    f.set(CUDNN_PARAM_CONV_DESC, how);
    f.set(CUDNN_PARAM_XDATA_PLACEHOLDER, CUDNN_PTR_XDATA, x);
    f.set(CUDNN_PARAM_WDATA_PLACEHOLDER, CUDNN_PTR_WDATA, w);
    f.set(CUDNN_PARAM_YDATA_PLACEHOLDER, CUDNN_PTR_YDATA, y);
  }

  Dice dice{5};
  ConvolutionCase c{dice, 2};
  OnGpu x = without_gaps(CUDNN_DATA_HALF, c.x, dice), y = without_gaps(CUDNN_DATA_HALF, c.y, dice),
        w = OnGpu(CUDNN_DATA_HALF, c.w, dense(c.w), dice.numbers(count_of(c.w)));
  TensorOf of_x{x}, of_y{y};
  FilterOf of_w{CUDNN_DATA_HALF, c.w, CUDNN_TENSOR_NCHW};
  ConvolutionOf how{c};
  Fused f{CUDNN_FUSED_SCALE_BIAS_ACTIVATION_CONV_BNSTATS};
};

TEST_F(FusedPlans, WithoutASenseAreRefused) {
  EXPECT_EQ(f.run(), CUDNN_STATUS_NOT_INITIALIZED);
  const TensorOf floats(CUDNN_DATA_FLOAT, c.x, dense(c.x)), one(CUDNN_DATA_FLOAT, {1, 99, 1, 1}, {99, 1, 1, 1});
  f.set(CUDNN_PARAM_XDESC, floats);
  EXPECT_EQ(f.make(), CUDNN_STATUS_NOT_SUPPORTED);
  f.set(CUDNN_PARAM_XDESC, of_y);
  EXPECT_EQ(f.make(), CUDNN_STATUS_BAD_PARAM);
  f.set(CUDNN_PARAM_XDESC, of_x);
  const ActivationOf sigmoid(CUDNN_ACTIVATION_SIGMOID), none(CUDNN_ACTIVATION_IDENTITY);
  f.set(CUDNN_PARAM_ACTIVATION_DESC, sigmoid);
  EXPECT_EQ(f.make(), CUDNN_STATUS_NOT_SUPPORTED);
  f.set(CUDNN_PARAM_ACTIVATION_DESC, none);
  f.set(CUDNN_PARAM_YSTATS_DESC, one);
  EXPECT_EQ(f.make(), CUDNN_STATUS_NOT_SUPPORTED);  // of each activation
  f.set(CUDNN_PARAM_BN_MODE, CUDNN_BATCHNORM_SPATIAL);
  EXPECT_EQ(f.make(), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(library().cudnnSetFusedOpsConstParamPackAttribute(f.constants(), CUDNN_PARAM_YSTATS_DESC, nullptr),
            CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(f.make(), CUDNN_STATUS_SUCCESS);
  std::size_t size = 0;
  const Fused other(CUDNN_FUSED_SCALE_BIAS_ACTIVATION_WGRAD), reserved(CUDNN_FUSED_CONV_SCALE_BIAS_ADD_ACTIVATION);
  EXPECT_EQ(library().cudnnMakeFusedOpsPlan(handle(), other.plan(), f.constants(), &size), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(library().cudnnFusedOpsExecute(handle(), f.plan(), other.variants()), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(reserved.make(), CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH);
}

TEST_F(FusedPlans, PointersAreAsPromised) {
  ASSERT_EQ(f.make(), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(f.run(), CUDNN_STATUS_SUCCESS);
  f.point(CUDNN_PTR_WDATA, nullptr);
  EXPECT_EQ(f.run(), CUDNN_STATUS_BAD_PARAM);
  f.point(CUDNN_PTR_WDATA, w.address());
  f.point(CUDNN_PTR_YSUM, w.address());
  EXPECT_EQ(f.run(), CUDNN_STATUS_BAD_PARAM);
  f.point(CUDNN_PTR_YSUM, nullptr);
  f.set(CUDNN_PARAM_XDATA_PLACEHOLDER, CUDNN_PTR_16B_ALIGNED);
  ASSERT_EQ(f.make(), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(f.run(), CUDNN_STATUS_SUCCESS);
  f.point(CUDNN_PTR_XDATA, static_cast<char*>(x.address()) + 2);
  EXPECT_EQ(f.run(), CUDNN_STATUS_BAD_PARAM);
}

}  // namespace
}  // namespace nvmlkit::library_test
