// Tensors and filters in another layout, with padding; the patches of convolutions.
#include "descriptors.hpp"

namespace nvmlkit::library_test {
namespace {

struct TransformOf : Owned<TensorTransform> {
  TransformOf(const Sizes& before, const Sizes& after, cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW)
      : Owned(library().cudnnCreateTensorTransformDescriptor, library().cudnnDestroyTensorTransformDescriptor) {
    EXPECT_EQ(library().cudnnSetTensorTransformDescriptor(get(), static_cast<std::uint32_t>(before.size()), format,
                                                          narrow(before).data(), narrow(after).data(), nullptr,
                                                          CUDNN_TRANSFORM_FOLD),
              CUDNN_STATUS_SUCCESS);
  }
};

// The element of the source that comes to place k of the destination; nothing where there are zeros.
std::int64_t source_of(std::int64_t k, const Sizes& from, const Sizes& before, const Sizes& to) {
  std::int64_t out = 0, weight = 1;
  for (std::size_t d = to.size(); d-- > 0; k /= to[d]) {
    const auto at = k % to[d] - before[d];
    if (at < 0 || at >= from[d]) return -1;
    out += at * weight, weight *= from[d];
  }
  return out;
}

TEST(TensorTransforms, PadAndCutTensors) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Dice dice(seed);
    const auto rank = static_cast<std::size_t>(dice.range(3, 5));
    Sizes from, before, after, to;
    for (std::size_t d = 0; d < rank; ++d) {
      from.push_back(dice.range(2, 4)), before.push_back(dice.range(-1, 2)), after.push_back(dice.range(0, 2));
      to.push_back(from[d] + before[d] + after[d]);
    }
    const bool wide = dice.range(0, 1);
    const auto type = wide ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    const OnGpu x(wide ? CUDNN_DATA_FLOAT : CUDNN_DATA_HALF, from, random_strides(from, dice),
                  dice.numbers(count_of(from)));
    const OnGpu y(type, to, random_strides(to, dice), dice.numbers(count_of(to)));
    const TransformOf transform(before, after);
    const TensorOf of_x(x), of_y(y), of_other(type, from, dense(from));
    const auto given = x.read();
    auto wanted = y.read();
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const auto source = source_of(static_cast<std::int64_t>(k), from, before, to);
      wanted[k] = 0.5 * wanted[k] + (source < 0 ? 0 : 2 * given[static_cast<std::size_t>(source)]);
    }
    const Factor two(2, type), half(0.5, type);
    ASSERT_EQ(library().cudnnTransformTensorEx(handle(), transform.get(), two.get(), of_x.get(), x.address(),
                                               half.get(), of_y.get(), y.address()),
              CUDNN_STATUS_SUCCESS);
    wait();
    expect_near(y.read(), wanted, y.tolerance(), "padded");
    if (from != to) {
      EXPECT_EQ(library().cudnnTransformTensorEx(handle(), transform.get(), two.get(), of_x.get(), x.address(),
                                                 half.get(), of_other.get(), y.address()),
                CUDNN_STATUS_BAD_PARAM);
    }
  }
}

// By the descriptor that the library makes itself; back from there is what was.
TEST(TensorTransforms, ToTheOtherFormatAndBack) {
  Dice dice(7);
  const Sizes sizes{2, 3, 4, 5};
  const OnGpu x(CUDNN_DATA_FLOAT, sizes, dense(sizes), dice.numbers(count_of(sizes)));
  const OnGpu y(CUDNN_DATA_FLOAT, sizes, {60, 1, 15, 3}, dice.numbers(count_of(sizes)));
  const Sizes none(4, 0);
  const TransformOf transform(none, none, CUDNN_TENSOR_NHWC);
  const TensorOf of_x(x), of_y;
  std::size_t bytes = 0;
  ASSERT_EQ(library().cudnnInitTransformDest(transform.get(), of_x.get(), of_y.get(), &bytes), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(bytes, 2u * 3 * 4 * 5 * 4);
  const Factor one(1, CUDNN_DATA_FLOAT), zero(0, CUDNN_DATA_FLOAT);
  ASSERT_EQ(library().cudnnTransformTensorEx(handle(), transform.get(), one.get(), of_x.get(), x.address(), zero.get(),
                                             of_y.get(), y.address()),
            CUDNN_STATUS_SUCCESS);
  wait();
  EXPECT_EQ(y.read(), x.read());
}

TEST(TensorTransforms, FiltersToo) {
  Dice dice(3);
  const Sizes from{3, 2, 3, 3}, to{4, 2, 3, 4}, before{0, 0, 0, 1}, after{1, 0, 0, 0};
  const OnGpu x(CUDNN_DATA_FLOAT, from, dense(from), dice.numbers(count_of(from)));
  const OnGpu y(CUDNN_DATA_FLOAT, to, {24, 1, 8, 2}, dice.numbers(count_of(to)));
  const TransformOf transform(before, after);
  const FilterOf of_x(CUDNN_DATA_FLOAT, from, CUDNN_TENSOR_NCHW), of_y(CUDNN_DATA_FLOAT, to, CUDNN_TENSOR_NHWC);
  const Factor one(1, CUDNN_DATA_FLOAT), zero(0, CUDNN_DATA_FLOAT);
  ASSERT_EQ(library().cudnnTransformFilter(handle(), transform.get(), one.get(), of_x.get(), x.address(), zero.get(),
                                           of_y.get(), y.address()),
            CUDNN_STATUS_SUCCESS);
  wait();
  const auto given = x.read(), got = y.read();
  for (std::size_t k = 0; k < got.size(); ++k) {
    const auto source = source_of(static_cast<std::int64_t>(k), from, before, to);
    EXPECT_EQ(got[k], source < 0 ? 0 : given[static_cast<std::size_t>(source)]);
  }
}

// A convolution is the product of its patches and its filters.
TEST(TensorTransforms, PatchesMakeConvolutions) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Dice dice(seed);
    ConvolutionCase c(dice);
    if (c.groups > 1) continue;
    const OnGpu x(CUDNN_DATA_DOUBLE, c.x, random_strides(c.x, dice), dice.numbers(count_of(c.x)));
    const auto filters = dice.numbers(count_of(c.w));
    const auto taps = count_of(c.w) / c.w[0], positions = count_of(c.y) / c.y[1], space = positions / c.y[0];
    const Sizes sizes{positions, taps};
    const OnGpu patches(CUDNN_DATA_DOUBLE, sizes, dense(sizes), dice.numbers(positions * taps));
    const TensorOf of_x(x);
    const FilterOf of_w(CUDNN_DATA_DOUBLE, c.w, CUDNN_TENSOR_NCHW);
    const ConvolutionOf how(c);
    ASSERT_EQ(library().cudnnIm2Col(handle(), of_x.get(), x.address(), of_w.get(), how.get(), patches.address()),
              CUDNN_STATUS_SUCCESS);
    wait();
    std::vector<double> wanted(static_cast<std::size_t>(count_of(c.y))), got(wanted.size());
    const auto given = x.read(), rows = patches.read();
    c.each([&](std::size_t from, std::size_t tap, std::size_t to) { wanted[to] += given[from] * filters[tap]; });
    for (std::int64_t k = 0; k < count_of(c.y); ++k) {
      const auto row = k / (space * c.y[1]) * space + k % space, filter = k / space % c.y[1];
      for (std::int64_t t = 0; t < taps; ++t)
        got[static_cast<std::size_t>(k)] +=
            rows[static_cast<std::size_t>(row * taps + t)] * filters[static_cast<std::size_t>(filter * taps + t)];
    }
    expect_near(got, wanted, 1e-12, "patches");
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
