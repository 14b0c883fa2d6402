// Batch normalization against its definition.
#include "descriptors.hpp"

namespace nvmlkit::library_test {
namespace {

struct NormalizationCase {
  cudnnBatchNormMode_t mode;
  cudnnDataType_t type, type_of_scale;
  Sizes sizes, small;
  static constexpr double kEpsilon = 1e-3;

  explicit NormalizationCase(Dice& dice)
      : mode(dice.range(0, 2) ? CUDNN_BATCHNORM_SPATIAL : CUDNN_BATCHNORM_PER_ACTIVATION), type(random_type(dice)) {
    type_of_scale = type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    sizes = {dice.range(2, 5), dice.range(1, 4), dice.range(1, 4), dice.range(1, 4)};
    if (dice.range(0, 3) == 0) sizes.push_back(dice.range(1, 3));
    small = sizes, small[0] = 1;
    for (std::size_t k = 2; mode == CUDNN_BATCHNORM_SPATIAL && k < small.size(); ++k) small[k] = 1;
  }
  // The place of an element in what has the sizes of the scale.
  std::size_t place(std::size_t k) const {
    const auto image = static_cast<std::size_t>(count_of(sizes) / sizes[0]);
    const auto plane = image / static_cast<std::size_t>(sizes[1]);
    return mode == CUDNN_BATCHNORM_SPATIAL ? k % image / plane : k % image;
  }
};

struct Statistics {
  std::vector<double> mean, variance;
  double count;
  Statistics(const NormalizationCase& c, const std::vector<double>& x)
      : mean(static_cast<std::size_t>(count_of(c.small))), variance(mean.size()) {
    count = static_cast<double>(x.size()) / static_cast<double>(mean.size());
    for (std::size_t k = 0; k < x.size(); ++k) mean[c.place(k)] += x[k] / count;
    for (std::size_t k = 0; k < x.size(); ++k) variance[c.place(k)] += std::pow(x[k] - mean[c.place(k)], 2) / count;
  }
};

TEST(Normalizations, TrainingAndGradients) {
  for (unsigned seed = 0; seed < 80; ++seed) {
    Dice dice(seed);
    const NormalizationCase c(dice);
    const auto tensor = [&] {
      return OnGpu(c.type, c.sizes, random_strides(c.sizes, dice), dice.numbers(count_of(c.sizes)));
    };
    const auto row = [&] { return OnGpu(c.type_of_scale, c.small, dense(c.small), dice.numbers(count_of(c.small))); };
    const OnGpu x = tensor(), y = tensor(), z = tensor(), dy = tensor(), dx = tensor(), dz = tensor();
    const OnGpu scale = row(), bias = row(), mean = row(), variance = row(), saved = row(), inverse = row(),
                dscale = row(), dbias = row();
    const TensorOf of_x(x), of_y(y), of_z(z), of_dy(dy), of_dx(dx), of_dz(dz), of_scale(scale);
    const auto ops = static_cast<cudnnBatchNormOps_t>(dice.range(0, 2));
    const ActivationOf relu(CUDNN_ACTIVATION_RELU);
    const Factor one(1, c.type), zero(0, c.type);
    const auto in = x.read(), add = z.read(), s = scale.read(), b = bias.read(), old_mean = mean.read(),
               old_variance = variance.read();
    ASSERT_EQ(
        library().cudnnBatchNormalizationForwardTrainingEx(
            handle(), c.mode, ops, one.get(), zero.get(), of_x.get(), x.address(), of_z.get(), z.address(), of_y.get(),
            y.address(), of_scale.get(), scale.address(), bias.address(), 0.3, mean.address(), variance.address(),
            c.kEpsilon, saved.address(), inverse.address(), relu.get(), nullptr, 0, nullptr, 0),
        CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(library().cudnnBatchNormalizationBackwardEx(
                  handle(), c.mode, ops, one.get(), zero.get(), one.get(), zero.get(), of_x.get(), x.address(),
                  of_y.get(), y.address(), of_dy.get(), dy.address(), of_dz.get(), dz.address(), of_dx.get(),
                  dx.address(), of_scale.get(), scale.address(), bias.address(), dscale.address(), dbias.address(),
                  c.kEpsilon, saved.address(), inverse.address(), relu.get(), nullptr, 0, nullptr, 0),
              CUDNN_STATUS_SUCCESS);
    wait();
    const Statistics found(c, in);
    const auto what = "seed " + std::to_string(seed);
    const double unbiased = found.count > 1 ? found.count / (found.count - 1) : 1;
    std::vector<double> wanted, hat, new_mean, new_variance;
    for (std::size_t k = 0; k < in.size(); ++k) {
      const auto at = c.place(k);
      hat.push_back((in[k] - found.mean[at]) / std::sqrt(found.variance[at] + c.kEpsilon));
      double v = hat[k] * s[at] + b[at];
      if (ops == CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION) v += add[k];
      wanted.push_back(ops != CUDNN_BATCHNORM_OPS_BN ? std::max(0.0, v) : v);
    }
    for (std::size_t k = 0; k < found.mean.size(); ++k) {
      new_mean.push_back(0.7 * old_mean[k] + 0.3 * found.mean[k]);
      new_variance.push_back(0.7 * old_variance[k] + 0.3 * unbiased * found.variance[k]);
    }
    expect_near(y.read(), wanted, y.tolerance(4), what);
    expect_near(mean.read(), new_mean, mean.tolerance(), what);
    expect_near(variance.read(), new_variance, mean.tolerance(), what);
    expect_near(saved.read(), found.mean, mean.tolerance(), what);

    auto down = dy.read();
    const auto out = y.read();
    for (std::size_t k = 0; ops != CUDNN_BATCHNORM_OPS_BN && k < down.size(); ++k) down[k] = out[k] > 0 ? down[k] : 0;
    std::vector<double> to_scale(s.size()), to_bias(s.size()), to_x;
    for (std::size_t k = 0; k < down.size(); ++k)
      to_scale[c.place(k)] += down[k] * hat[k], to_bias[c.place(k)] += down[k];
    for (std::size_t k = 0; k < down.size(); ++k) {
      const auto at = c.place(k);
      to_x.push_back(s[at] / std::sqrt(found.variance[at] + c.kEpsilon) *
                     (down[k] - to_bias[at] / found.count - hat[k] * to_scale[at] / found.count));
    }
    const double loose = c.type == CUDNN_DATA_DOUBLE ? 1e-10 : 1e-4;
    expect_near(dscale.read(), to_scale, loose, what);
    expect_near(dbias.read(), to_bias, loose, what);
    expect_near(dx.read(), to_x, std::max(loose, dx.tolerance(4)) * 10, what);
    if (ops == CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION) expect_near(dz.read(), dz.rounded(down), dz.tolerance(), what);
  }
}

TEST(Normalizations, Inference) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Dice dice(seed);
    const NormalizationCase c(dice);
    const OnGpu x(c.type, c.sizes, random_strides(c.sizes, dice), dice.numbers(count_of(c.sizes))),
        y(c.type, c.sizes, random_strides(c.sizes, dice), dice.numbers(count_of(c.sizes)));
    auto positive = dice.numbers(count_of(c.small));
    for (auto& v : positive) v += 1.5;
    const auto row = [&] { return OnGpu(c.type_of_scale, c.small, dense(c.small), dice.numbers(count_of(c.small))); };
    const OnGpu scale = row(), bias = row(), mean = row(), variance(c.type_of_scale, c.small, dense(c.small), positive);
    const TensorOf of_x(x), of_y(y), of_scale(scale);
    const Factor one(1, c.type), zero(0, c.type);
    ASSERT_EQ(library().cudnnBatchNormalizationForwardInference(
                  handle(), c.mode, one.get(), zero.get(), of_x.get(), x.address(), of_y.get(), y.address(),
                  of_scale.get(), scale.address(), bias.address(), mean.address(), variance.address(), c.kEpsilon),
              CUDNN_STATUS_SUCCESS);
    wait();
    std::vector<double> wanted;
    const auto in = x.read(), s = scale.read(), b = bias.read(), m = mean.read(), v = variance.read();
    for (std::size_t k = 0; k < in.size(); ++k) {
      const auto at = c.place(k);
      wanted.push_back((in[k] - m[at]) / std::sqrt(v[at] + c.kEpsilon) * s[at] + b[at]);
    }
    expect_near(y.read(), wanted, y.tolerance(2), "seed " + std::to_string(seed));
    EXPECT_EQ(library().cudnnBatchNormalizationForwardInference(
                  handle(), c.mode, one.get(), zero.get(), of_x.get(), x.address(), of_y.get(), y.address(), of_x.get(),
                  scale.address(), bias.address(), mean.address(), variance.address(), c.kEpsilon),
              CUDNN_STATUS_BAD_PARAM);
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
