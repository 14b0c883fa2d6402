#include "libraries/cudnn/functions/spatial_transformers.hpp"

#include <algorithm>

#include "libraries/cudnn/operand.hpp"
#include "libraries/dnn/sampling.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

// Sizes of the output: n, c, h, w.
Operand dense_operand(const SpatialTransformer& s, const dnn::Sizes& sizes, const void* at) {
  return {dnn::Layout{static_cast<dnn::Type>(s.type), sizes, dnn::dense_strides(sizes)}, at};
}
Operand theta_of(const SpatialTransformer& s, const void* at) { return dense_operand(s, {s.sizes[0], 2, 3}, at); }
Operand grid_of(const SpatialTransformer& s, const void* at) {
  return dense_operand(s, {s.sizes[0], s.sizes[2], s.sizes[3], 2}, at);
}

bool is_ready(const SpatialTransformer* s) {
  return are_live(s) && s->sizes.size() == 4 &&
         std::all_of(s->sizes.begin(), s->sizes.end(), [](int n) { return n > 0; });
}

cudnnStatus_t check_sampler(const SpatialTransformer* s, const Tensor* x, const Tensor* y) {
  if (!is_ready(s) || !are_live(x, y) || !x->is_set() || !y->is_set()) return bad("a descriptor is none, or not set");
  const auto &in = x->layout.sizes, &out = y->layout.sizes;
  const dnn::Sizes wanted(s->sizes.begin(), s->sizes.end());
  if (in.size() != 4 || out != wanted || in[0] != out[0] || in[1] != out[1]) return bad("the sizes of the tensors");
  return CUDNN_STATUS_SUCCESS;
}

Cost cost_of_grid(const Operand& grid) {
  return {.operations = 8.0 * static_cast<double>(grid.layout.count()), .bytes = 2 * grid.bytes()};
}

}  // namespace

cudnnStatus_t set_spatial(SpatialTransformer* s, cudnnSamplerType_t sampler, cudnnDataType_t type, int count,
                          const int* sizes) {
  if (!are_live(s) || sampler != CUDNN_SAMPLER_BILINEAR || !sizes) return bad("the descriptor is none, or no sizes");
  if (type == CUDNN_DATA_INT8) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "elements of int8");
  if (type != CUDNN_DATA_FLOAT && type != CUDNN_DATA_DOUBLE && type != CUDNN_DATA_HALF)
    return bad("the type of the elements");
  s->type = type;
  s->sizes.assign(sizes, sizes + std::max(count, 0));  // checked where they are used
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t make_grid(const Call& call, const SpatialTransformer* s, const void* theta, void* grid) {
  if (!is_ready(s)) return bad("the descriptor is none, or not set");
  if (!theta || !grid) return bad("no memory of a tensor");
  const Operand from = theta_of(*s, theta), to = grid_of(*s, grid);
  return call.compute(to.is_double(), cost_of_grid(to), [=](auto number, Running& running) {
    to.write(running, dnn::affine_grid(from.read<decltype(number)>(running), to.sizes()[1], to.sizes()[2]));
  });
}

cudnnStatus_t grid_gradient(const Call& call, const SpatialTransformer* s, const void* dgrid, void* dtheta) {
  if (!is_ready(s)) return bad("the descriptor is none, or not set");
  if (!dgrid || !dtheta) return bad("no memory of a tensor");
  const Operand from = grid_of(*s, dgrid), to = theta_of(*s, dtheta);
  return call.compute(to.is_double(), cost_of_grid(from), [=](auto number, Running& running) {
    to.write(running, dnn::affine_grid_back(from.read<decltype(number)>(running)));
  });
}

cudnnStatus_t run_sampler(const Call& call, SpatialTransformer* s, const void* alpha, const Tensor* of_x, const void* x,
                          const void* grid, const void* beta, Tensor* of_y, void* y) {
  if (const auto status = check_sampler(s, of_x, of_y); status != CUDNN_STATUS_SUCCESS) return status;
  if (!x || !grid || !y) return bad("no memory of a tensor");
  const Operand from(of_x, x), points = grid_of(*s, grid), to(of_y, y);
  return call.compute(
      from.is_double(), cost_of_grid(to), [=, factors = Factors(alpha, beta, from)](auto number, Running& running) {
        using T = decltype(number);
        to.write(running, dnn::sample(from.read<T>(running), points.read<T>(running)), factors.alpha, factors.beta);
      });
}

cudnnStatus_t sampler_gradient(const Call& call, SpatialTransformer* s, const void* alpha, const Tensor* of_x,
                               const void* x, const void* beta, const Tensor* of_dx, void* dx, const void* alpha_grid,
                               const Tensor* of_dy, const void* dy, const void* grid, const void* beta_grid,
                               void* dgrid) {
  for (const Tensor* const in : {of_x, of_dx})
    if (const auto status = check_sampler(s, in, of_dy); status != CUDNN_STATUS_SUCCESS) return status;
  if (!x || !dx || !dy || !grid || !dgrid || of_x->layout.sizes != of_dx->layout.sizes)
    return bad("no memory of a tensor");
  const Operand from(of_x, x), to(of_dx, dx), gradient(of_dy, dy), points = grid_of(*s, grid),
                                                                   to_points = grid_of(*s, dgrid);
  const Factors factors(alpha, beta, from), of_grid(alpha_grid, beta_grid, from);
  return call.compute(from.is_double(), cost_of_grid(gradient), [=](auto number, Running& running) {
    using T = decltype(number);
    const auto found = dnn::sample_back(from.read<T>(running), points.read<T>(running), gradient.read<T>(running));
    to.write(running, found.x, factors.alpha, factors.beta);
    to_points.write(running, found.grid, of_grid.alpha, of_grid.beta);
  });
}

}  // namespace nvmlkit::cudnn::functions
