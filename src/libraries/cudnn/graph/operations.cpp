#include "libraries/cudnn/graph/operations.hpp"

#include "libraries/dnn/random.hpp"
#include "libraries/dnn/reduction.hpp"

namespace nvmlkit::cudnn::graph {
namespace {

template <class T>
void run_matmul(const Content& c, Tables<T>& tables) {
  const auto& out = *c.tensor_of(CUDNN_ATTR_OPERATION_MATMUL_CDESC);
  const auto& a = tables.read(*c.tensor_of(CUDNN_ATTR_OPERATION_MATMUL_ADESC));
  const auto& b = tables.read(*c.tensor_of(CUDNN_ATTR_OPERATION_MATMUL_BDESC));
  const auto made = tables.rounds() ? dnn::matmul(dnn::in_tf32(a), dnn::in_tf32(b), out.layout.sizes, tables.tick())
                                    : dnn::matmul(a, b, out.layout.sizes, tables.tick());
  tables.write(out, made);
}

template <class T>
void run_reduction(const Content& c, Tables<T>& tables) {
  const auto& out = *c.tensor_of(CUDNN_ATTR_OPERATION_REDUCTION_YDESC);
  const auto kind = c.child(CUDNN_ATTR_OPERATION_REDUCTION_DESC)->get<int>(CUDNN_ATTR_REDUCTION_OPERATOR);
  const auto& x = tables.read(*c.tensor_of(CUDNN_ATTR_OPERATION_REDUCTION_XDESC));
  tables.write(out, dnn::reduce(static_cast<dnn::Reduction>(kind), x, out.layout.sizes));
}

// Both sides are the same elements of memory.
template <class T>
void run_reshape(const Content& c, Tables<T>& tables) {
  const auto& from = *c.tensor_of(CUDNN_ATTR_OPERATION_RESHAPE_XDESC);
  const auto& to = *c.tensor_of(CUDNN_ATTR_OPERATION_RESHAPE_YDESC);
  constexpr auto kType = sizeof(T) == sizeof(double) ? dnn::Type::f64 : dnn::Type::f32;
  std::vector<T> memory(static_cast<std::size_t>(from.layout.extent()));
  dnn::store(tables.read(from), {kType, from.layout.sizes, from.layout.strides}, memory.data());
  const auto view = dnn::load<T>({kType, to.layout.sizes, to.layout.strides}, memory.data());
  dnn::Array<T> own(to.layout.sizes);
  std::copy_n(view.data(), view.count(), own.edit());
  tables.write(to, std::move(own));
}

template <class T>
void run_statistics(const Content& c, Tables<T>& tables) {
  const auto& sum = *c.tensor_of(CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC);
  const auto& squares = *c.tensor_of(CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC);
  const auto& x = tables.read(*c.tensor_of(CUDNN_ATTR_OPERATION_GENSTATS_XDESC));
  dnn::Array<T> square(x.sizes());
  for (std::int64_t k = 0; k < x.count(); ++k) square.edit()[k] = x[k] * x[k];
  tables.write(sum, dnn::reduce(dnn::Reduction::add, x, sum.layout.sizes));
  tables.write(squares, dnn::reduce(dnn::Reduction::add, square, squares.layout.sizes));
}

// The same numbers for the same seed and offset: the backward graph makes the forward one's again.
template <class T>
void run_random(const Content& c, Tables<T>& tables) {
  const auto& out = *c.tensor_of(CUDNN_ATTR_OPERATION_RNG_YDESC);
  const Content& d = *c.child(CUDNN_ATTR_OPERATION_RNG_DESC);
  const dnn::Random random(tables.bits(c.tensor_of(CUDNN_ATTR_OPERATION_RNG_SEED)),
                           tables.bits(c.tensor_of(CUDNN_ATTR_OPERATION_RNG_OFFSET_DESC)));
  dnn::Array<T> made(out.layout.sizes);
  const int kind = d.get<int>(CUDNN_ATTR_RNG_DISTRIBUTION);
  const double probability = d.number(CUDNN_ATTR_RNG_BERNOULLI_DIST_PROBABILITY, 0.5);
  const double low = d.number(CUDNN_ATTR_RNG_UNIFORM_DIST_MINIMUM, 0),
               high = d.number(CUDNN_ATTR_RNG_UNIFORM_DIST_MAXIMUM, 1);
  const double mean = d.number(CUDNN_ATTR_RNG_NORMAL_DIST_MEAN, 0);
  const double deviation = d.number(CUDNN_ATTR_RNG_NORMAL_DIST_STANDARD_DEVIATION, 1);
  for (std::int64_t k = 0; k < made.count(); ++k) {
    const auto at = static_cast<std::uint64_t>(k);
    if (kind == CUDNN_RNG_DISTRIBUTION_BERNOULLI)
      made.edit()[k] = random.uniform(at) < probability;
    else if (kind == CUDNN_RNG_DISTRIBUTION_UNIFORM)
      made.edit()[k] = static_cast<T>(low + (high - low) * random.uniform(at));
    else
      made.edit()[k] = static_cast<T>(mean + deviation * random.normal(at));
  }
  tables.write(out, std::move(made));
}

}  // namespace

dnn::Convolution convolution_of(const Content& d) {
  return {.before = d.integers(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS),
          .after = d.integers(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS),
          .stride = d.integers(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES),
          .dilation = d.integers(CUDNN_ATTR_CONVOLUTION_DILATIONS),
          .flips = d.get<int>(CUDNN_ATTR_CONVOLUTION_CONV_MODE) == CUDNN_CONVOLUTION};
}

dnn::Pointwise pointwise_of(const Content& d) {
  dnn::Pointwise out;
  out.mode = static_cast<dnn::Mode>(d.get<int>(CUDNN_ATTR_POINTWISE_MODE));
  out.lower = d.number(CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP, out.lower);
  out.upper = d.number(CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, out.upper);
  out.slope = d.number(CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE, out.slope);
  out.elu_alpha = d.number(CUDNN_ATTR_POINTWISE_ELU_ALPHA, out.elu_alpha);
  out.softplus_beta = d.number(CUDNN_ATTR_POINTWISE_SOFTPLUS_BETA, out.softplus_beta);
  out.swish_beta = d.number(CUDNN_ATTR_POINTWISE_SWISH_BETA, out.swish_beta);
  out.axis = static_cast<int>(d.get<std::int64_t>(CUDNN_ATTR_POINTWISE_AXIS, -1));
  return out;
}

bool is_simulated(Kind kind) {
  switch (kind) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR:
      return true;
    default:
      return false;
  }
}

template <class T>
void run(const Content& c, Tables<T>& tables) {
  switch (c.kind) {
    case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
      return run_pointwise(c, tables);
    case CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR:
      return run_statistics(c, tables);
    case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
      return run_matmul(c, tables);
    case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
      return run_reduction(c, tables);
    case CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR:
      return run_normalization(c, tables);
    case CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR:
      return run_normalization_back(c, tables);
    case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
      return run_reshape(c, tables);
    case CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR:
      return run_random(c, tables);
    default:
      return run_convolution(c, tables);
  }
}
template void run(const Content&, Tables<float>&);
template void run(const Content&, Tables<double>&);

}  // namespace nvmlkit::cudnn::graph
