// Batch normalization against its definition.
#include <deque>

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

// A normalization, with what it reads and writes.
struct Trained {
  NormalizationCase c;
  cudnnBatchNormOps_t ops;
  std::deque<OnGpu> all;  // x, y, z, dy, dx, dz
  std::deque<OnGpu>
      rows;  // scale, bias, running mean and variance, saved mean and inverse, gradients of scale and bias

  explicit Trained(Dice& dice) : c(dice), ops(static_cast<cudnnBatchNormOps_t>(dice.range(0, 2))) {
    for (int k = 0; k < 6; ++k)
      all.emplace_back(c.type, c.sizes, random_strides(c.sizes, dice), dice.numbers(count_of(c.sizes)));
    for (int k = 0; k < 8; ++k)
      rows.emplace_back(c.type_of_scale, c.small, dense(c.small), dice.numbers(count_of(c.small)));
  }
  bool adds() const { return ops == CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION; }
  bool has_relu() const { return ops != CUDNN_BATCHNORM_OPS_BN; }
  void run() const {
    const TensorOf of_x(all[0]), of_y(all[1]), of_z(all[2]), of_dy(all[3]), of_dx(all[4]), of_dz(all[5]),
        of_scale(rows[0]);
    const ActivationOf relu(CUDNN_ACTIVATION_RELU);
    const Factor one(1, c.type), zero(0, c.type);
    ASSERT_EQ(
        library().cudnnBatchNormalizationForwardTrainingEx(
            handle(), c.mode, ops, one.get(), zero.get(), of_x.get(), all[0].address(), of_z.get(), all[2].address(),
            of_y.get(), all[1].address(), of_scale.get(), rows[0].address(), rows[1].address(), 0.3, rows[2].address(),
            rows[3].address(), c.kEpsilon, rows[4].address(), rows[5].address(), relu.get(), nullptr, 0, nullptr, 0),
        CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(
        library().cudnnBatchNormalizationBackwardEx(
            handle(), c.mode, ops, one.get(), zero.get(), one.get(), zero.get(), of_x.get(), all[0].address(),
            of_y.get(), all[1].address(), of_dy.get(), all[3].address(), of_dz.get(), all[5].address(), of_dx.get(),
            all[4].address(), of_scale.get(), rows[0].address(), rows[1].address(), rows[6].address(),
            rows[7].address(), c.kEpsilon, rows[4].address(), rows[5].address(), relu.get(), nullptr, 0, nullptr, 0),
        CUDNN_STATUS_SUCCESS);
    wait();
  }
};

void expect_outputs(const Trained& t, const Statistics& found, const std::vector<double>& old_mean,
                    const std::vector<double>& old_variance, std::vector<double>& hat, const std::string& what) {
  const auto in = t.all[0].read(), add = t.all[2].read(), scale = t.rows[0].read(), bias = t.rows[1].read();
  const double unbiased = found.count > 1 ? found.count / (found.count - 1) : 1;
  std::vector<double> wanted, new_mean, new_variance;
  for (std::size_t k = 0; k < in.size(); ++k) {
    const auto at = t.c.place(k);
    hat.push_back((in[k] - found.mean[at]) / std::sqrt(found.variance[at] + t.c.kEpsilon));
    const double v = hat[k] * scale[at] + bias[at] + (t.adds() ? add[k] : 0);
    wanted.push_back(t.has_relu() ? std::max(0.0, v) : v);
  }
  for (std::size_t k = 0; k < found.mean.size(); ++k) {
    new_mean.push_back(0.7 * old_mean[k] + 0.3 * found.mean[k]);
    new_variance.push_back(0.7 * old_variance[k] + 0.3 * unbiased * found.variance[k]);
  }
  expect_near(t.all[1].read(), wanted, t.all[1].tolerance(4), what);
  expect_near(t.rows[2].read(), new_mean, t.rows[2].tolerance(), what);
  expect_near(t.rows[3].read(), new_variance, t.rows[2].tolerance(), what);
  expect_near(t.rows[4].read(), found.mean, t.rows[2].tolerance(), what);
}

void expect_gradients(const Trained& t, const Statistics& found, const std::vector<double>& hat,
                      const std::string& what) {
  auto down = t.all[3].read();
  const auto out = t.all[1].read(), scale = t.rows[0].read();
  for (std::size_t k = 0; t.has_relu() && k < down.size(); ++k) down[k] = out[k] > 0 ? down[k] : 0;
  std::vector<double> to_scale(scale.size()), to_bias(scale.size()), to_x;
  for (std::size_t k = 0; k < down.size(); ++k)
    to_scale[t.c.place(k)] += down[k] * hat[k], to_bias[t.c.place(k)] += down[k];
  for (std::size_t k = 0; k < down.size(); ++k) {
    const auto at = t.c.place(k);
    to_x.push_back(scale[at] / std::sqrt(found.variance[at] + t.c.kEpsilon) *
                   (down[k] - to_bias[at] / found.count - hat[k] * to_scale[at] / found.count));
  }
  const double loose = t.c.type == CUDNN_DATA_DOUBLE ? 1e-10 : 1e-4;
  expect_near(t.rows[6].read(), to_scale, loose, what);
  expect_near(t.rows[7].read(), to_bias, loose, what);
  expect_near(t.all[4].read(), to_x, std::max(loose, t.all[4].tolerance(4)) * 10, what);
  if (t.adds()) expect_near(t.all[5].read(), t.all[5].rounded(down), t.all[5].tolerance(), what);
}

TEST(Normalizations, TrainingAndGradients) {
  for (unsigned seed = 0; seed < 80; ++seed) {
    Dice dice(seed);
    const Trained t(dice);
    const auto old_mean = t.rows[2].read(), old_variance = t.rows[3].read();
    t.run();
    const auto what = "seed " + std::to_string(seed);
    const Statistics found(t.c, t.all[0].read());
    std::vector<double> hat;
    expect_outputs(t, found, old_mean, old_variance, hat, what);
    expect_gradients(t, found, hat, what);
  }
}

// The functions of cuDNN 8 are those of before, with a descriptor more.
TEST(Normalizations, OfCudnn8) {
  for (unsigned seed = 200; seed < 230; ++seed) {
    Dice dice(seed);
    const Trained t(dice);
    const auto old_mean = t.rows[2].read(), old_variance = t.rows[3].read();
    const auto& all = t.all;
    const auto& rows = t.rows;
    const auto& c = t.c;
    const TensorOf of_x(all[0]), of_y(all[1]), of_z(all[2]), of_dy(all[3]), of_dx(all[4]), of_dz(all[5]), of_scale,
        of_statistics;
    const ActivationOf relu(CUDNN_ACTIVATION_RELU);
    const Factor one(1, c.type), zero(0, c.type);
    const auto mode = c.mode == CUDNN_BATCHNORM_SPATIAL ? CUDNN_NORM_PER_CHANNEL : CUDNN_NORM_PER_ACTIVATION;
    const auto ops = static_cast<cudnnNormOps_t>(t.ops);
    auto& l = library();
    ASSERT_EQ(l.cudnnDeriveNormTensorDescriptor(of_scale.get(), of_statistics.get(), of_x.get(), mode, 1),
              CUDNN_STATUS_SUCCESS);
    std::size_t size = 77;
    EXPECT_EQ(l.cudnnGetNormalizationTrainingReserveSpaceSize(handle(), mode, ops, CUDNN_NORM_ALGO_STANDARD, relu.get(),
                                                              of_x.get(), &size, 1),
              CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(size, 0U);
    const auto train = [&](int groups) {
      return l.cudnnNormalizationForwardTraining(
          handle(), mode, ops, CUDNN_NORM_ALGO_STANDARD, one.get(), zero.get(), of_x.get(), all[0].address(),
          of_scale.get(), rows[0].address(), rows[1].address(), 0.3, of_statistics.get(), rows[2].address(),
          rows[3].address(), c.kEpsilon, rows[4].address(), rows[5].address(), relu.get(), of_z.get(), all[2].address(),
          of_y.get(), all[1].address(), nullptr, 0, nullptr, 0, groups);
    };
    EXPECT_EQ(train(2), CUDNN_STATUS_NOT_SUPPORTED);
    ASSERT_EQ(train(1), CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(l.cudnnNormalizationBackward(
                  handle(), mode, ops, CUDNN_NORM_ALGO_STANDARD, one.get(), zero.get(), one.get(), zero.get(),
                  of_x.get(), all[0].address(), of_y.get(), all[1].address(), of_dy.get(), all[3].address(),
                  of_dz.get(), all[5].address(), of_dx.get(), all[4].address(), of_scale.get(), rows[0].address(),
                  rows[1].address(), rows[6].address(), rows[7].address(), c.kEpsilon, of_statistics.get(),
                  rows[4].address(), rows[5].address(), relu.get(), nullptr, 0, nullptr, 0, 1),
              CUDNN_STATUS_SUCCESS);
    wait();
    const auto what = "seed " + std::to_string(seed);
    const Statistics found(c, all[0].read());
    std::vector<double> hat;
    expect_outputs(t, found, old_mean, old_variance, hat, what);
    expect_gradients(t, found, hat, what);
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
    const OnGpu again(c.type, c.sizes, y.strides(), dice.numbers(count_of(c.sizes)));
    const auto infer = [&](cudnnNormOps_t ops) {
      return library().cudnnNormalizationForwardInference(
          handle(), c.mode == CUDNN_BATCHNORM_SPATIAL ? CUDNN_NORM_PER_CHANNEL : CUDNN_NORM_PER_ACTIVATION, ops,
          CUDNN_NORM_ALGO_STANDARD, one.get(), zero.get(), of_x.get(), x.address(), of_scale.get(), scale.address(),
          bias.address(), of_scale.get(), mean.address(), variance.address(), nullptr, nullptr, nullptr, of_y.get(),
          again.address(), c.kEpsilon, 1);
    };
    EXPECT_EQ(infer(CUDNN_NORM_OPS_NORM_ACTIVATION), CUDNN_STATUS_NOT_SUPPORTED);
    ASSERT_EQ(infer(CUDNN_NORM_OPS_NORM), CUDNN_STATUS_SUCCESS);
    wait();
    EXPECT_EQ(again.read(), y.read());
    EXPECT_EQ(library().cudnnBatchNormalizationForwardInference(
                  handle(), c.mode, one.get(), zero.get(), of_x.get(), x.address(), of_y.get(), y.address(), of_x.get(),
                  scale.address(), bias.address(), mean.address(), variance.address(), c.kEpsilon),
              CUDNN_STATUS_BAD_PARAM);
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
