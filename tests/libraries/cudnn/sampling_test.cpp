// Pooling, spatial transformers and the CTC loss.
#include "descriptors.hpp"

namespace nvmlkit::library_test {
namespace {

struct PoolingOf : Owned<Pooling> {
  PoolingOf(cudnnPoolingMode_t mode, const Sizes& window, const Sizes& pad, const Sizes& stride)
      : Owned(library().cudnnCreatePoolingDescriptor, library().cudnnDestroyPoolingDescriptor) {
    EXPECT_EQ(library().cudnnSetPoolingNdDescriptor(get(), mode, CUDNN_NOT_PROPAGATE_NAN, 2, narrow(window).data(),
                                                    narrow(pad).data(), narrow(stride).data()),
              CUDNN_STATUS_SUCCESS);
  }
};

// Windows in two dimensions; the gradient of dy is added to `gradient`.
std::vector<double> pooled(cudnnPoolingMode_t mode, const Sizes& x_sizes, const Sizes& y_sizes, const Sizes& window,
                           const Sizes& pad, const Sizes& stride, const std::vector<double>& x,
                           const std::vector<double>& dy, std::vector<double>& gradient) {
  std::vector<double> out;
  for (std::int64_t plane = 0; plane < y_sizes[0] * y_sizes[1]; ++plane)
    for (std::int64_t i = 0; i < y_sizes[2]; ++i)
      for (std::int64_t j = 0; j < y_sizes[3]; ++j) {
        std::vector<std::size_t> inside;
        for (std::int64_t a = 0; a < window[0]; ++a)
          for (std::int64_t b = 0; b < window[1]; ++b) {
            const auto row = i * stride[0] - pad[0] + a, column = j * stride[1] - pad[1] + b;
            if (row >= 0 && row < x_sizes[2] && column >= 0 && column < x_sizes[3])
              inside.push_back(static_cast<std::size_t>((plane * x_sizes[2] + row) * x_sizes[3] + column));
          }
        double sum = 0;
        std::size_t best = inside.front();
        for (const auto k : inside) sum += x[k], best = x[k] > x[best] ? k : best;
        const double down = dy[out.size()];
        const double count = mode == CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING
                                 ? static_cast<double>(window[0] * window[1])
                                 : static_cast<double>(inside.size());
        const bool is_max = mode == CUDNN_POOLING_MAX || mode == CUDNN_POOLING_MAX_DETERMINISTIC;
        out.push_back(is_max ? x[best] : sum / count);
        if (is_max) gradient[best] += down;
        for (const auto k : inside) gradient[k] += is_max ? 0 : down / count;
      }
  return out;
}

TEST(Sampling, Pooling) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Dice dice(seed);
    const auto mode = static_cast<cudnnPoolingMode_t>(dice.range(0, 3));
    const auto type = random_type(dice);
    const Sizes window = {dice.range(1, 3), dice.range(1, 3)}, stride = {dice.range(1, 3), dice.range(1, 3)};
    const Sizes pad = {dice.range(0, static_cast<int>(window[0]) - 1), dice.range(0, static_cast<int>(window[1]) - 1)};
    const Sizes in = {dice.range(1, 2), dice.range(1, 3), dice.range(3, 8), dice.range(3, 8)};
    const PoolingOf how(mode, window, pad, stride);
    const OnGpu x(type, in, random_strides(in, dice), dice.numbers(count_of(in))),
        dx(type, in, random_strides(in, dice), dice.numbers(count_of(in)));
    const TensorOf of_x(x), of_dx(dx);
    int sizes[4] = {};
    ASSERT_EQ(library().cudnnGetPoolingNdForwardOutputDim(how.get(), of_x.get(), 4, sizes), CUDNN_STATUS_SUCCESS);
    const Sizes out(sizes, sizes + 4);
    const OnGpu y(type, out, random_strides(out, dice), dice.numbers(count_of(out))),
        dy(type, out, random_strides(out, dice), dice.numbers(count_of(out)));
    const TensorOf of_y(y), of_dy(dy);
    const Factor one(1, type), zero(0, type);
    ASSERT_EQ(library().cudnnPoolingForward(handle(), how.get(), one.get(), of_x.get(), x.address(), zero.get(),
                                            of_y.get(), y.address()),
              CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(
        library().cudnnPoolingBackward(handle(), how.get(), one.get(), of_y.get(), y.address(), of_dy.get(),
                                       dy.address(), of_x.get(), x.address(), zero.get(), of_dx.get(), dx.address()),
        CUDNN_STATUS_SUCCESS);
    wait();
    std::vector<double> gradient(static_cast<std::size_t>(count_of(in)));
    const auto wanted = pooled(mode, in, out, window, pad, stride, x.read(), dy.read(), gradient);
    expect_near(y.read(), wanted, y.tolerance(), "seed " + std::to_string(seed));
    expect_near(dx.read(), gradient, dx.tolerance(), "gradient, seed " + std::to_string(seed));
  }
}

// The grid of the identity samples the input itself; a shift by one column moves it.
TEST(Sampling, SpatialTransformers) {
  const Owned<SpatialTransformer> how(library().cudnnCreateSpatialTransformerDescriptor,
                                      library().cudnnDestroySpatialTransformerDescriptor);
  const int sizes[] = {1, 2, 3, 5};
  ASSERT_EQ(
      library().cudnnSetSpatialTransformerNdDescriptor(how.get(), CUDNN_SAMPLER_BILINEAR, CUDNN_DATA_FLOAT, 4, sizes),
      CUDNN_STATUS_SUCCESS);
  const Sizes shape = {1, 2, 3, 5};
  Dice dice(1);
  const OnGpu x(CUDNN_DATA_FLOAT, shape, dense(shape), dice.numbers(30)),
      y(CUDNN_DATA_FLOAT, shape, dense(shape), dice.numbers(30));
  const TensorOf of_x(x), of_y(y);
  const OnDevice<float> grid{std::vector<float>(30)};
  const Factor one(1, CUDNN_DATA_FLOAT), zero(0, CUDNN_DATA_FLOAT);
  for (const float shift : {0.0F, 0.5F}) {
    const OnDevice<float> theta(std::vector<float>{1, 0, shift, 0, 1, 0});
    ASSERT_EQ(library().cudnnSpatialTfGridGeneratorForward(handle(), how.get(), theta.as<void>(), grid.as<void>()),
              CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(library().cudnnSpatialTfSamplerForward(handle(), how.get(), one.get(), of_x.get(), x.address(),
                                                     grid.as<void>(), zero.get(), of_y.get(), y.address()),
              CUDNN_STATUS_SUCCESS);
    wait();
    auto wanted = x.read();
    for (std::size_t k = 0; shift > 0 && k < wanted.size(); ++k) wanted[k] = k % 5 == 4 ? 0 : wanted[k + 1];
    expect_near(y.read(), wanted, 1e-5, "shift");
  }
  EXPECT_EQ(library().cudnnSpatialTfGridGeneratorForward(handle(), nullptr, grid.as<void>(), grid.as<void>()),
            CUDNN_STATUS_BAD_PARAM);
}

constexpr int kFrames = 5, kClasses = 3;

// The sum over all paths of classes that give the labels, by enumeration.
double cost_by_paths(const std::vector<double>& x, const std::vector<int>& labels) {
  double total = 0;
  for (int path = 0; path < 243; ++path) {
    double p = 1;
    std::vector<int> found;
    for (int t = 0, left = path, before = 0; t < kFrames; ++t, left /= kClasses) {
      const int c = left % kClasses;
      double sum = 0;
      for (int k = 0; k < kClasses; ++k) sum += std::exp(x[static_cast<std::size_t>(t * kClasses + k)]);
      p *= std::exp(x[static_cast<std::size_t>(t * kClasses + c)]) / sum;
      if (c != 0 && c != before) found.push_back(c);
      before = c;
    }
    if (found == labels) total += p;
  }
  return -std::log(total);
}

TEST(Sampling, AlignmentLoss) {
  const Owned<CtcLoss> how(library().cudnnCreateCTCLossDescriptor, library().cudnnDestroyCTCLossDescriptor);
  ASSERT_EQ(library().cudnnSetCTCLossDescriptor_v9(how.get(), CUDNN_DATA_FLOAT, CUDNN_LOSS_NORMALIZATION_SOFTMAX,
                                                   CUDNN_CTC_ZERO_OOB_GRADIENTS, 8),
            CUDNN_STATUS_SUCCESS);
  const Sizes shape = {kFrames, 1, kClasses};
  Dice dice(7);
  for (const auto& labels : std::vector<std::vector<int>>{{1}, {1, 2}, {2, 2}, {1, 2, 1}, {}}) {
    auto x = dice.numbers(kFrames * kClasses);
    const OnGpu on_gpu(CUDNN_DATA_DOUBLE, shape, dense(shape), x), gradients(CUDNN_DATA_DOUBLE, shape, dense(shape), x);
    const TensorOf of_x(on_gpu), of_dx(gradients);
    const OnDevice<double> cost(std::vector<double>{-1});
    const int count = static_cast<int>(labels.size()), frames = kFrames, none = 0;
    ASSERT_EQ(library().cudnnCTCLoss(handle(), of_x.get(), on_gpu.address(), count ? labels.data() : &none, &count,
                                     &frames, cost.as<void>(), of_dx.get(), gradients.address(),
                                     CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, how.get(), nullptr, 0),
              CUDNN_STATUS_SUCCESS);
    wait();
    EXPECT_NEAR(cost.read()[0], cost_by_paths(x, labels), 1e-9);
    const auto got = gradients.read();
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double before = x[k];
      x[k] = before + 1e-5;
      const double above = cost_by_paths(x, labels);
      x[k] = before - 1e-5;
      EXPECT_NEAR(got[k], (above - cost_by_paths(x, labels)) / 2e-5, 1e-7);
      x[k] = before;
    }
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
