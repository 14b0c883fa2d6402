// Convolutions, activations and softmax by their own functions.
#include "descriptors.hpp"

namespace nvmlkit::library_test {
namespace {

Sizes strides_of(const Sizes& sizes, cudnnTensorFormat_t format) {
  if (format == CUDNN_TENSOR_NCHW) return dense(sizes);
  Sizes order = sizes;
  order.erase(order.begin() + 1), order.push_back(sizes[1]);
  Sizes out = dense(order);
  out.insert(out.begin() + 1, out.back()), out.pop_back();
  return out;
}

enum class Direction { forward, to_data, to_filter };

void run_convolution(unsigned seed, Direction direction, cudnnMathType_t math = CUDNN_FMA_MATH) {
  Dice dice(seed);
  const ConvolutionCase c(dice);
  const bool rounds = math != CUDNN_FMA_MATH;
  const auto type = rounds ? CUDNN_DATA_FLOAT : random_type(dice);
  const auto format = dice.range(0, 1) ? CUDNN_TENSOR_NCHW : CUDNN_TENSOR_NHWC;
  const OnGpu x(type, c.x, random_strides(c.x, dice), dice.numbers(count_of(c.x))),
      w(type, c.w, strides_of(c.w, format), dice.numbers(count_of(c.w))),
      y(type, c.y, random_strides(c.y, dice), dice.numbers(count_of(c.y)));
  const TensorOf of_x(x), of_y(y);
  const FilterOf of_w(type, c.w, format);
  const ConvolutionOf how(c);
  ASSERT_EQ(library().cudnnSetConvolutionMathType(how.get(), math), CUDNN_STATUS_SUCCESS);
  const auto factors = [&](const OnGpu& of) { return rounds ? in_tf32(of.read()) : of.read(); };
  const auto in_x = factors(x), in_w = factors(w), in_y = factors(y);
  const OnGpu& out = direction == Direction::forward ? y : direction == Direction::to_data ? x : w;
  const double a = dice.range(0, 1) ? 1 : 0.5, b = dice.range(0, 1) ? 0 : 0.25;
  auto wanted = out.read();
  for (auto& v : wanted) v *= b;
  c.each([&](std::size_t i, std::size_t j, std::size_t k) {
    if (direction == Direction::forward) wanted[k] += a * in_x[i] * in_w[j];
    if (direction == Direction::to_data) wanted[i] += a * in_y[k] * in_w[j];
    if (direction == Direction::to_filter) wanted[j] += a * in_y[k] * in_x[i];
  });
  const Factor alpha(a, type), beta(b, type);
  auto& l = library();
  int count = 0;
  std::size_t work = 1;
  if (direction == Direction::forward) {
    ForwardPerformance best{};
    ASSERT_EQ(l.cudnnGetConvolutionForwardAlgorithm_v7(handle(), of_x.get(), of_w.get(), how.get(), of_y.get(), 1,
                                                       &count, &best),
              CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(l.cudnnGetConvolutionForwardWorkspaceSize(handle(), of_x.get(), of_w.get(), how.get(), of_y.get(),
                                                        best.algo, &work),
              CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(l.cudnnConvolutionForward(handle(), alpha.get(), of_x.get(), x.address(), of_w.get(), w.address(),
                                        how.get(), best.algo, nullptr, 0, beta.get(), of_y.get(), y.address()),
              CUDNN_STATUS_SUCCESS);
  } else if (direction == Direction::to_data) {
    ASSERT_EQ(l.cudnnConvolutionBackwardData(handle(), alpha.get(), of_w.get(), w.address(), of_y.get(), y.address(),
                                             how.get(), CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, nullptr, 0, beta.get(),
                                             of_x.get(), x.address()),
              CUDNN_STATUS_SUCCESS);
  } else {
    ASSERT_EQ(l.cudnnConvolutionBackwardFilter(handle(), alpha.get(), of_x.get(), x.address(), of_y.get(), y.address(),
                                               how.get(), CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, nullptr, 0, beta.get(),
                                               of_w.get(), w.address()),
              CUDNN_STATUS_SUCCESS);
  }
  wait();
  expect_near(out.read(), out.rounded(wanted), out.tolerance(4), "seed " + std::to_string(seed));
}

TEST(Layers, Convolutions) {
  for (unsigned seed = 0; seed < 60; ++seed) run_convolution(seed, Direction::forward);
  for (unsigned seed = 100; seed < 160; ++seed) run_convolution(seed, Direction::to_data);
  for (unsigned seed = 200; seed < 260; ++seed) run_convolution(seed, Direction::to_filter);
}

TEST(Layers, ConvolutionsRoundFactorsToTf32UnlessForbidden) {
  for (unsigned seed = 0; seed < 20; ++seed)
    for (const auto math : {CUDNN_DEFAULT_MATH, CUDNN_TENSOR_OP_MATH})
      for (const auto direction : {Direction::forward, Direction::to_data, Direction::to_filter})
        run_convolution(seed, direction, math);
}

TEST(Layers, ConvolutionsThatCannotBe) {
  Dice dice(5);
  const ConvolutionCase c(dice, 2);
  const ConvolutionOf how(c);
  const TensorOf x(CUDNN_DATA_FLOAT, c.x, dense(c.x)), y(CUDNN_DATA_FLOAT, c.y, dense(c.y)), none;
  Sizes wrong = c.w;
  ++wrong[1];
  const FilterOf w(CUDNN_DATA_FLOAT, c.w, CUDNN_TENSOR_NCHW), other(CUDNN_DATA_FLOAT, wrong, CUDNN_TENSOR_NCHW);
  const Factor one(1, CUDNN_DATA_FLOAT), zero(0, CUDNN_DATA_FLOAT);
  const auto run = [&](const Tensor* of_x, const Filter* of_w, const void* memory) {
    return library().cudnnConvolutionForward(handle(), one.get(), of_x, memory, of_w, memory, how.get(),
                                             CUDNN_CONVOLUTION_FWD_ALGO_GEMM, nullptr, 0, zero.get(), y.get(),
                                             const_cast<void*>(memory));
  };
  EXPECT_EQ(run(x.get(), other.get(), &c), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(run(none.get(), w.get(), &c), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(run(nullptr, w.get(), &c), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(run(x.get(), w.get(), nullptr), CUDNN_STATUS_BAD_PARAM);
  // Statuses as NVIDIA's library gives them.
  const int zeros[] = {0, 0}, ones[] = {1, 1}, minus[] = {-1, 0};
  const auto set = [&](const int* pad, const int* stride, const int* dilation, int mode, int type) {
    return library().cudnnSetConvolutionNdDescriptor(how.get(), 2, pad, stride, dilation,
                                                     static_cast<cudnnConvolutionMode_t>(mode),
                                                     static_cast<cudnnDataType_t>(type));
  };
  EXPECT_EQ(set(minus, ones, ones, 1, 0), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(set(zeros, zeros, ones, 1, 0), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(set(zeros, ones, zeros, 1, 0), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(set(zeros, ones, ones, 3, 0), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(set(zeros, ones, ones, 1, 99), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(set(zeros, ones, ones, 1, 0), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(library().cudnnSetConvolutionGroupCount(how.get(), 0), CUDNN_STATUS_BAD_PARAM);
}

double activated(cudnnActivationMode_t mode, double coefficient, double x) {
  switch (mode) {
    case CUDNN_ACTIVATION_SIGMOID:
      return 1 / (1 + std::exp(-x));
    case CUDNN_ACTIVATION_RELU:
      return std::max(0.0, x);
    case CUDNN_ACTIVATION_TANH:
      return std::tanh(x);
    case CUDNN_ACTIVATION_CLIPPED_RELU:
      return std::min(std::max(0.0, x), coefficient);
    case CUDNN_ACTIVATION_ELU:
      return x > 0 ? x : coefficient * (std::exp(x) - 1);
    default:
      return x / (1 + std::exp(-x));
  }
}

TEST(Layers, Activations) {
  Dice dice(3);
  for (const auto mode : {CUDNN_ACTIVATION_SIGMOID, CUDNN_ACTIVATION_RELU, CUDNN_ACTIVATION_TANH,
                          CUDNN_ACTIVATION_CLIPPED_RELU, CUDNN_ACTIVATION_ELU, CUDNN_ACTIVATION_SWISH})
    for (int turn = 0; turn < 4; ++turn) {
      const auto type = random_type(dice);
      const Sizes sizes = {2, 3, 4, 5};
      const auto tensor = [&] {
        return OnGpu(type, sizes, random_strides(sizes, dice), dice.numbers(count_of(sizes)));
      };
      const OnGpu x = tensor(), y = tensor(), dy = tensor(), dx = tensor();
      const TensorOf of_x(x), of_y(y), of_dy(dy), of_dx(dx);
      const ActivationOf how(mode, 0.4);
      const Factor one(1, type), zero(0, type);
      ASSERT_EQ(library().cudnnActivationForward(handle(), how.get(), one.get(), of_x.get(), x.address(), zero.get(),
                                                 of_y.get(), y.address()),
                CUDNN_STATUS_SUCCESS);
      ASSERT_EQ(library().cudnnActivationBackward(handle(), how.get(), one.get(), of_y.get(), y.address(), of_dy.get(),
                                                  dy.address(), of_x.get(), x.address(), zero.get(), of_dx.get(),
                                                  dx.address()),
                CUDNN_STATUS_SUCCESS);
      wait();
      std::vector<double> wanted, gradient;
      const auto in = x.read(), down = dy.read();
      for (std::size_t k = 0; k < in.size(); ++k) {
        const double step = 1e-6;
        wanted.push_back(activated(mode, 0.4, in[k]));
        gradient.push_back(down[k] * (activated(mode, 0.4, in[k] + step) - activated(mode, 0.4, in[k] - step)) /
                           (2 * step));
      }
      expect_near(y.read(), wanted, y.tolerance(), "activation " + std::to_string(mode));
      expect_near(dx.read(), gradient, std::max(dx.tolerance(), 1e-8),
                  "gradient of activation " + std::to_string(mode));
    }
}

TEST(Layers, Softmax) {
  Dice dice(4);
  for (const auto algo : {CUDNN_SOFTMAX_FAST, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_LOG})
    for (const auto mode : {CUDNN_SOFTMAX_MODE_INSTANCE, CUDNN_SOFTMAX_MODE_CHANNEL}) {
      const auto type = random_type(dice);
      const Sizes sizes = {2, 5, 3, 2};
      const auto tensor = [&] {
        return OnGpu(type, sizes, random_strides(sizes, dice), dice.numbers(count_of(sizes)));
      };
      const OnGpu x = tensor(), y = tensor(), dy = tensor(), dx = tensor();
      const TensorOf of_x(x), of_y(y), of_dy(dy), of_dx(dx);
      const Factor one(1, type), zero(0, type);
      ASSERT_EQ(library().cudnnSoftmaxForward(handle(), algo, mode, one.get(), of_x.get(), x.address(), zero.get(),
                                              of_y.get(), y.address()),
                CUDNN_STATUS_SUCCESS);
      ASSERT_EQ(library().cudnnSoftmaxBackward(handle(), algo, mode, one.get(), of_y.get(), y.address(), of_dy.get(),
                                               dy.address(), zero.get(), of_dx.get(), dx.address()),
                CUDNN_STATUS_SUCCESS);
      wait();
      const auto in = x.read(), out = y.read(), down = dy.read();
      // Elements that share a sum: those of an image, or those of a place.
      const auto group = [&](std::size_t k) {
        return mode == CUDNN_SOFTMAX_MODE_INSTANCE ? k / 30 : k / 30 * 6 + k % 6;
      };
      std::vector<double> sums(12), wanted, along(12), gradient;
      for (std::size_t k = 0; k < in.size(); ++k) sums[group(k)] += std::exp(in[k]);
      for (std::size_t k = 0; k < in.size(); ++k) {
        const double p = std::exp(in[k]) / sums[group(k)];
        wanted.push_back(algo == CUDNN_SOFTMAX_LOG ? std::log(p) : p);
        along[group(k)] += algo == CUDNN_SOFTMAX_LOG ? down[k] : down[k] * out[k];
      }
      for (std::size_t k = 0; k < in.size(); ++k)
        gradient.push_back(algo == CUDNN_SOFTMAX_LOG ? down[k] - std::exp(out[k]) * along[group(k)]
                                                     : out[k] * (down[k] - along[group(k)]));
      expect_near(out, wanted, y.tolerance(), "softmax");
      expect_near(dx.read(), gradient, dx.tolerance(2), "gradient of softmax");
    }
}

}  // namespace
}  // namespace nvmlkit::library_test
