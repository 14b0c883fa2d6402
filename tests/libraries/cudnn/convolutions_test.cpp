// Convolutions of random shapes, strides and types against their definition, by the graph interface.
#include "convolution_case.hpp"
#include "graph.hpp"

namespace nvmlkit::library_test {
namespace {

Descriptor describe(const ConvolutionCase& c, bool in_double) {
  Descriptor out(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  out.choice(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, in_double ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT);
  out.choice(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE,
             c.flips ? CUDNN_CONVOLUTION : CUDNN_CROSS_CORRELATION);
  out.integers(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, {static_cast<std::int64_t>(c.space)});
  out.integers(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, c.pad).integers(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, c.pad);
  out.integers(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, c.stride);
  out.integers(CUDNN_ATTR_CONVOLUTION_DILATIONS, c.dilation).finished();
  return out;
}

struct Names {
  cudnnBackendDescriptorType_t kind;
  cudnnBackendAttributeName_t description, x, w, y, alpha, beta;
};
constexpr Names kForward = {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
constexpr Names kToData = {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                           CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                           CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                           CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                           CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
                           CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                           CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
constexpr Names kToFilter = {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
                             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
                             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};

void run_case(unsigned seed, const Names& names, Tf32 tf32 = Tf32::forbidden) {
  Dice dice(seed);
  const ConvolutionCase c(dice);
  const auto type = tf32 == Tf32::allowed ? CUDNN_DATA_FLOAT : random_type(dice);
  const auto tensor = [&](const Sizes& sizes) {
    return OnGpu(type, sizes, random_strides(sizes, dice), dice.numbers(count_of(sizes)));
  };
  const OnGpu x = tensor(c.x), w = tensor(c.w), y = tensor(c.y);
  const auto factors = [&](const OnGpu& of) { return tf32 == Tf32::allowed ? in_tf32(of.read()) : of.read(); };
  const auto in_x = factors(x), in_w = factors(w), in_y = factors(y);
  const OnGpu& out = names.kind == kForward.kind ? y : names.kind == kToData.kind ? x : w;
  const double alpha = dice.range(0, 1) ? 1 : 0.5, beta = dice.range(0, 2) ? 0 : 0.25;
  auto wanted = out.read();
  for (auto& v : wanted) v *= beta;
  c.each([&](std::size_t i, std::size_t j, std::size_t k) {
    if (&out == &y) wanted[k] += alpha * in_x[i] * in_w[j];
    if (&out == &x) wanted[i] += alpha * in_y[k] * in_w[j];
    if (&out == &w) wanted[j] += alpha * in_y[k] * in_x[i];
  });
  const Descriptor how = describe(c, type == CUDNN_DATA_DOUBLE);
  const Descriptor of_x = tensor_of(x, 1), of_w = tensor_of(w, 2), of_y = tensor_of(y, 3);
  Descriptor operation(names.kind);
  operation.descriptor(names.description, how);
  operation.descriptor(names.x, of_x).descriptor(names.w, of_w).descriptor(names.y, of_y);
  operation.number(names.alpha, alpha).number(names.beta, beta).finished();
  run_graph({operation.raw()}, {1, 2, 3}, {x.address(), w.address(), y.address()}, tf32);
  expect_near(out.read(), out.rounded(wanted), out.tolerance(4), "seed " + std::to_string(seed));
}

TEST(Convolutions, Forward) {
  for (unsigned seed = 0; seed < 120; ++seed) run_case(seed, kForward);
}
TEST(Convolutions, BackToData) {
  for (unsigned seed = 1000; seed < 1120; ++seed) run_case(seed, kToData);
}
TEST(Convolutions, BackToFilter) {
  for (unsigned seed = 2000; seed < 2120; ++seed) run_case(seed, kToFilter);
}

TEST(Convolutions, RoundFactorsWhereTf32IsAllowed) {
  for (unsigned seed = 0; seed < 20; ++seed)
    for (const auto& names : {kForward, kToData, kToFilter}) run_case(seed, names, Tf32::allowed);
}

// Convolution, scaled addition, bias, activation: operations in any order, between them virtual tensors.
TEST(Convolutions, WithBiasAndActivation) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Dice dice(seed);
    const ConvolutionCase c(dice, 2);
    const auto type = random_type(dice);
    const auto tensor = [&](const Sizes& sizes) {
      return OnGpu(type, sizes, random_strides(sizes, dice), dice.numbers(count_of(sizes)));
    };
    const OnGpu x = tensor(c.x), w = tensor(c.w), y = tensor(c.y), z = tensor(c.y), b = tensor({1, c.y[1], 1, 1});
    const auto in_x = x.read(), in_w = w.read(), in_z = z.read(), in_b = b.read();
    std::vector<double> wanted(in_z.size());
    c.each([&](std::size_t i, std::size_t j, std::size_t k) { wanted[k] += in_x[i] * in_w[j]; });
    const auto plane = static_cast<std::size_t>(c.y[2] * c.y[3]), channels = static_cast<std::size_t>(c.y[1]);
    for (std::size_t k = 0; k < wanted.size(); ++k)
      wanted[k] = std::max(0.0, wanted[k] + 0.5 * in_z[k] + in_b[k / plane % channels]);

    const auto virtual_type = type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    const Descriptor how = describe(c, type == CUDNN_DATA_DOUBLE), of_x = tensor_of(x, 'x'), of_w = tensor_of(w, 'w'),
                     of_y = tensor_of(y, 'y'), of_z = tensor_of(z, 'z'), of_b = tensor_of(b, 'b'),
                     first = tensor_of(virtual_type, c.y, dense(c.y), 'C', true),
                     second = tensor_of(virtual_type, c.y, dense(c.y), 'A', true),
                     third = tensor_of(virtual_type, c.y, dense(c.y), 'B', true);
    const Descriptor add = pointwise_of(CUDNN_POINTWISE_ADD), relu = pointwise_of(CUDNN_POINTWISE_RELU_FWD);
    Descriptor convolve(kForward.kind), add_z(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR),
        add_b(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR), activate(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    convolve.descriptor(kForward.description, how).descriptor(kForward.x, of_x);
    convolve.descriptor(kForward.w, of_w).descriptor(kForward.y, first).finished();
    add_z.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, add);
    add_z.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, first)
        .descriptor(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, of_z);
    add_z.number(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2, 0.5);
    add_z.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, second).finished();
    add_b.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, add);
    add_b.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, second)
        .descriptor(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, of_b);
    add_b.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, third).finished();
    activate.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, relu);
    activate.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, third);
    activate.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, of_y).finished();
    run_graph({activate.raw(), add_b.raw(), convolve.raw(), add_z.raw()}, {'x', 'w', 'y', 'z', 'b'},
              {x.address(), w.address(), y.address(), z.address(), b.address()});
    expect_near(y.read(), y.rounded(wanted), y.tolerance(4), "seed " + std::to_string(seed));
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
