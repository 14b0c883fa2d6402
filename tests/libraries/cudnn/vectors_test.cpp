// Tensors whose elements are vectors of channels of int8, convolutions of them, and filters in the order of tensor
// cores.
#include "descriptors.hpp"

namespace nvmlkit::library_test {
namespace {

using Bytes = std::vector<std::int8_t>;

std::int64_t channels_of(cudnnDataType_t type) { return type == CUDNN_DATA_INT8x32 ? 32 : 4; }

Bytes random_bytes(std::int64_t count, Dice& dice, bool is_unsigned = false) {
  Bytes out(static_cast<std::size_t>(count));
  for (auto& v : out) v = static_cast<std::int8_t>(is_unsigned ? dice.range(0, 255) : dice.range(-128, 127));
  return out;
}

// The byte of a number in the order of the sizes, among vectors of `vector` channels.
std::size_t place_in_vectors(std::int64_t k, const Sizes& sizes, std::int64_t vector) {
  const auto space = count_of(Sizes(sizes.begin() + 2, sizes.end()));
  const auto n = k / (sizes[1] * space), c = k / space % sizes[1], at = k % space;
  return static_cast<std::size_t>((((n * (sizes[1] / vector) + c / vector) * space) + at) * vector + c % vector);
}
Bytes in_vectors(const Bytes& plain, const Sizes& sizes, std::int64_t vector) {
  Bytes out(plain.size());
  for (std::int64_t k = 0; k < count_of(sizes); ++k)
    out[place_in_vectors(k, sizes, vector)] = plain[static_cast<std::size_t>(k)];
  return out;
}

struct VectorsOf : TensorOf {
  VectorsOf(cudnnDataType_t type, const Sizes& sizes) {
    EXPECT_EQ(library().cudnnSetTensorNdDescriptorEx(get(), CUDNN_TENSOR_NCHW_VECT_C, type,
                                                     static_cast<int>(sizes.size()), narrow(sizes).data()),
              CUDNN_STATUS_SUCCESS);
  }
};

// A random convolution with whole vectors, without groups.
ConvolutionCase case_of(Dice& dice, std::int64_t vector) {
  ConvolutionCase c(dice, 2);
  c.groups = 1;
  c.x[1] = c.w[1] = vector * dice.range(1, 2);
  c.w[0] = c.y[1] = vector * dice.range(1, 2);
  return c;
}

std::vector<double> sums_of(const ConvolutionCase& c, const Bytes& x, const Bytes& w, bool is_unsigned) {
  std::vector<double> out(static_cast<std::size_t>(count_of(c.y)));
  c.each([&](std::size_t i, std::size_t j, std::size_t k) {
    out[k] += (is_unsigned ? static_cast<std::uint8_t>(x[i]) : x[i]) * static_cast<double>(w[j]);
  });
  return out;
}

std::int8_t in_type(double v, bool is_unsigned) {
  const double low = is_unsigned ? 0 : -128;
  return static_cast<std::int8_t>(static_cast<int>(std::nearbyint(std::clamp(v, low, low + 255))));
}

// The order of a filter of vectors of 32, as a table of what stands where: eight filters of a place in space are 256
// bytes.
Bytes reordered(const Bytes& plain, const Sizes& sizes) {
  const auto space = count_of(Sizes(sizes.begin() + 2, sizes.end()));
  Bytes out(plain.size());
  std::size_t to = 0;
  for (std::int64_t i = 0; i < sizes[1] / 32; ++i)
    for (std::int64_t at = 0; at < space; ++at)
      for (std::int64_t group = 0; group < sizes[0] / 8; ++group)
        for (std::int64_t byte = 0; byte < 256; ++byte) {
          const auto line = byte / 32, lane = byte % 32;
          const auto filter = 8 * group + line / 4 + 2 * (lane % 16 / 4);
          const auto channel = 32 * i + line % 4 * 8 + lane / 16 * 4 + lane % 4;
          out[to++] = plain[static_cast<std::size_t>((filter * sizes[1] + channel) * space + at)];
        }
  return out;
}

constexpr cudnnDataType_t kTypes[] = {CUDNN_DATA_INT8x4, CUDNN_DATA_UINT8x4, CUDNN_DATA_INT8x32};

TEST(Vectors, ConvolutionsOfThem) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    Dice dice(seed);
    const auto type = kTypes[dice.range(0, 2)];
    const bool is_unsigned = type == CUDNN_DATA_UINT8x4, is_float = type != CUDNN_DATA_INT8x32 && dice.range(0, 1);
    const auto vector = channels_of(type);
    const auto c = case_of(dice, vector);
    const auto x = random_bytes(count_of(c.x), dice, is_unsigned), w = random_bytes(count_of(c.w), dice);
    const VectorsOf of_x(type, c.x);
    const FilterOf of_w(is_unsigned ? CUDNN_DATA_INT8x4 : type, c.w, CUDNN_TENSOR_NCHW_VECT_C);
    const ConvolutionOf how(c);
    const OnDevice<std::int8_t> at_x(in_vectors(x, c.x, vector)), at_w(in_vectors(w, c.w, vector));
    const float alpha = is_float ? 0.5f : 1.0f / 512, zero = 0;
    const auto sums = sums_of(c, x, w, is_unsigned);
    if (is_float) {
      const TensorOf of_y(CUDNN_DATA_FLOAT, c.y, dense(c.y));
      const OnDevice<float> y(std::vector<float>(sums.size()));
      ASSERT_EQ(library().cudnnConvolutionForward(
                    handle(), &alpha, of_x.get(), at_x.as<void>(), of_w.get(), at_w.as<void>(), how.get(),
                    CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, nullptr, 0, &zero, of_y.get(), y.as<void>()),
                CUDNN_STATUS_SUCCESS);
      wait();
      const auto got = y.read();
      for (std::size_t k = 0; k < sums.size(); ++k) ASSERT_EQ(got[k], static_cast<float>(sums[k] * 0.5)) << seed;
    } else {
      const VectorsOf of_y(type, c.y);
      const OnDevice<std::int8_t> y(Bytes(sums.size()));
      ASSERT_EQ(library().cudnnConvolutionForward(
                    handle(), &alpha, of_x.get(), at_x.as<void>(), of_w.get(), at_w.as<void>(), how.get(),
                    CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, nullptr, 0, &zero, of_y.get(), y.as<void>()),
                CUDNN_STATUS_SUCCESS);
      wait();
      Bytes wanted;
      for (const auto sum : sums) wanted.push_back(in_type(sum / 512, is_unsigned));
      ASSERT_EQ(y.read(), in_vectors(wanted, c.y, vector)) << seed;
    }
  }
}

TEST(Vectors, FiltersInTheOrderOfTensorCores) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    Dice dice(seed);
    const auto c = case_of(dice, 32);
    const auto x = random_bytes(count_of(c.x), dice), w = random_bytes(count_of(c.w), dice);
    std::vector<float> bias;
    for (std::int64_t k = 0; k < c.w[0]; ++k) bias.push_back(static_cast<float>(dice.range(-60, 60)));
    const VectorsOf of_x(CUDNN_DATA_INT8x32, c.x), of_y(CUDNN_DATA_INT8x32, c.y);
    const FilterOf of_w(CUDNN_DATA_INT8x32, c.w, CUDNN_TENSOR_NCHW_VECT_C);
    const TensorOf of_bias(CUDNN_DATA_FLOAT, {1, c.w[0], 1, 1}, {c.w[0], 1, 1, 1});
    const ConvolutionOf how(c);
    const ActivationOf relu(CUDNN_ACTIVATION_RELU);
    const OnDevice<std::int8_t> at_x(in_vectors(x, c.x, 32)), at_w(in_vectors(w, c.w, 32)), new_w(Bytes(w.size())),
        y(Bytes(static_cast<std::size_t>(count_of(c.y))));
    const OnDevice<float> at_bias(bias), new_bias(std::vector<float>(bias.size()));
    ASSERT_EQ(library().cudnnReorderFilterAndBias(handle(), of_w.get(), CUDNN_DEFAULT_REORDER, at_w.as<void>(),
                                                  new_w.as<void>(), 1, at_bias.as<void>(), new_bias.as<void>()),
              CUDNN_STATUS_SUCCESS);
    wait();
    EXPECT_EQ(new_w.read(), reordered(w, c.w));
    const auto moved = new_bias.read();
    for (std::size_t k = 0; k < bias.size(); ++k)
      EXPECT_EQ(moved[k], bias[k / 32 * 32 + k % 16 / 4 * 8 + k % 32 / 16 * 4 + k % 4]) << k;
    Bytes wanted;
    const auto sums = sums_of(c, x, w, false);
    const auto space = count_of({c.y[2], c.y[3]});
    for (std::int64_t k = 0; k < count_of(c.y); ++k)
      wanted.push_back(in_type(
          std::max(0.0, sums[static_cast<std::size_t>(k)] / 512 + bias[static_cast<std::size_t>(k / space % c.y[1])]),
          false));
    const float alpha = 1.0f / 512, zero = 0;
    for (const auto order : {CUDNN_DEFAULT_REORDER, CUDNN_NO_REORDER}) {
      const bool is_new = order == CUDNN_NO_REORDER;
      ASSERT_EQ(library().cudnnSetConvolutionReorderType(how.get(), order), CUDNN_STATUS_SUCCESS);
      ASSERT_EQ(
          library().cudnnConvolutionBiasActivationForward(
              handle(), &alpha, of_x.get(), at_x.as<void>(), of_w.get(), (is_new ? new_w : at_w).as<void>(), how.get(),
              CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, nullptr, 0, &zero, of_y.get(), y.as<void>(),
              of_bias.get(), (is_new ? new_bias : at_bias).as<void>(), relu.get(), of_y.get(), y.as<void>()),
          CUDNN_STATUS_SUCCESS);
      wait();
      ASSERT_EQ(y.read(), in_vectors(wanted, c.y, 32)) << seed << (is_new ? ", reordered" : "");
    }
  }
}

// Sums of 2,048 channels of 3 x 3, all above 0, are larger than float counts by ones.
TEST(Vectors, SumsOfInt8AreExact) {
  Dice dice(1);
  const Sizes sizes{1, 2048, 3, 3}, filters{16, 2048, 3, 3}, results{1, 16, 1, 1};
  Bytes x, w;
  for (std::int64_t k = 0; k < count_of(sizes); ++k) x.push_back(static_cast<std::int8_t>(dice.range(64, 127)));
  for (std::int64_t k = 0; k < count_of(filters); ++k) w.push_back(static_cast<std::int8_t>(dice.range(64, 127)));
  std::vector<float> wanted;
  for (std::size_t k = 0; k < 16; ++k) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * w[k * x.size() + i];
    wanted.push_back(static_cast<float>(sum));
  }
  const TensorOf of_x(CUDNN_DATA_INT8, sizes, dense(sizes)), of_y(CUDNN_DATA_FLOAT, results, dense(results));
  const FilterOf of_w(CUDNN_DATA_INT8, filters, CUDNN_TENSOR_NCHW);
  const Owned<Convolution> how(library().cudnnCreateConvolutionDescriptor, library().cudnnDestroyConvolutionDescriptor);
  ASSERT_EQ(
      library().cudnnSetConvolution2dDescriptor(how.get(), 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_INT32),
      CUDNN_STATUS_SUCCESS);
  const OnDevice<std::int8_t> at_x(x), at_w(w);
  const OnDevice<float> y(std::vector<float>(16));
  const float one = 1, zero = 0;
  ASSERT_EQ(library().cudnnConvolutionForward(handle(), &one, of_x.get(), at_x.as<void>(), of_w.get(), at_w.as<void>(),
                                              how.get(), CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, nullptr, 0, &zero,
                                              of_y.get(), y.as<void>()),
            CUDNN_STATUS_SUCCESS);
  wait();
  EXPECT_EQ(y.read(), wanted);
}

TEST(Vectors, TensorsBecomeVectorsAndBack) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Dice dice(seed);
    const auto type = kTypes[dice.range(0, 2)];
    const auto vector = channels_of(type);
    const Sizes sizes{dice.range(1, 3), vector * dice.range(1, 3), dice.range(1, 5), dice.range(1, 5)};
    const auto plain = random_bytes(count_of(sizes), dice);
    const auto each = type == CUDNN_DATA_UINT8x4 ? CUDNN_DATA_UINT8 : CUDNN_DATA_INT8;
    const TensorOf of_plain(each, sizes, dense(sizes));
    const VectorsOf of_vectors(type, sizes);
    const OnDevice<std::int8_t> from(plain), there(Bytes(plain.size())), back(Bytes(plain.size()));
    const float one = 1, zero = 0;
    ASSERT_EQ(library().cudnnTransformTensor(handle(), &one, of_plain.get(), from.as<void>(), &zero, of_vectors.get(),
                                             there.as<void>()),
              CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(library().cudnnTransformTensor(handle(), &one, of_vectors.get(), there.as<void>(), &zero, of_plain.get(),
                                             back.as<void>()),
              CUDNN_STATUS_SUCCESS);
    wait();
    EXPECT_EQ(there.read(), in_vectors(plain, sizes, vector));
    EXPECT_EQ(back.read(), plain);
  }
}

TEST(Vectors, WhatIsRefused) {
  auto& l = library();
  const Sizes sizes{2, 64, 5, 5};
  const VectorsOf x(CUDNN_DATA_INT8x32, sizes), narrow_x(CUDNN_DATA_INT8x4, sizes);
  const FilterOf w(CUDNN_DATA_INT8x32, {32, 64, 1, 1}, CUDNN_TENSOR_NCHW_VECT_C);
  const FilterOf narrow_w(CUDNN_DATA_INT8x4, {32, 64, 1, 1}, CUDNN_TENSOR_NCHW_VECT_C);
  const VectorsOf y(CUDNN_DATA_INT8x32, {2, 32, 5, 5});
  const Owned<Convolution> how(l.cudnnCreateConvolutionDescriptor, l.cudnnDestroyConvolutionDescriptor);
  ASSERT_EQ(l.cudnnSetConvolution2dDescriptor(how.get(), 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_INT32),
            CUDNN_STATUS_SUCCESS);
  const OnDevice<std::int8_t> memory(Bytes(4096));
  auto* const at = memory.as<void>();
  const float one = 1, zero = 0;
  EXPECT_EQ(l.cudnnConvolutionForward(handle(), &one, narrow_x.get(), at, w.get(), at, how.get(),
                                      CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, nullptr, 0, &zero, y.get(), at),
            CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(l.cudnnConvolutionForward(handle(), &one, narrow_x.get(), at, narrow_w.get(), at, how.get(),
                                      CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, nullptr, 0, &zero, y.get(), at),
            CUDNN_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(l.cudnnConvolutionBackwardData(handle(), &one, w.get(), at, y.get(), at, how.get(),
                                           CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, nullptr, 0, &zero, x.get(), at),
            CUDNN_STATUS_NOT_SUPPORTED);
  const auto reorder = [&](const FilterOf& of, const void* from, int bias, const void* at_bias) {
    return l.cudnnReorderFilterAndBias(handle(), of.get(), CUDNN_DEFAULT_REORDER, from, at, bias, at_bias, at);
  };
  EXPECT_EQ(reorder(narrow_w, at, 0, nullptr), CUDNN_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(reorder(w, nullptr, 0, nullptr), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(reorder(w, at, 1, nullptr), CUDNN_STATUS_BAD_PARAM);
}

}  // namespace
}  // namespace nvmlkit::library_test
