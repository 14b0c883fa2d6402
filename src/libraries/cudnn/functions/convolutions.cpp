#include "libraries/cudnn/functions/convolutions.hpp"

#include "libraries/cudnn/functions/convolution_settings.hpp"
#include "libraries/cudnn/functions/layers.hpp"
#include "libraries/cudnn/operand.hpp"
#include "libraries/cudnn/vectors.hpp"
#include "libraries/dnn/reduction.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

// A convolution of a call: the operands, as the forward direction names them.
struct Work {
  dnn::Convolution how;
  Operand x, w, y;
  bool is_reordered = false;  // the filter, and the bias

  // Sums of small integers are exact in double.
  bool in_double() const { return y.is_double() || dnn::size_of(x.layout.type) == 1; }
  template <class T>
  dnn::Array<T> filter(Running& running) const {
    if (!is_reordered) return w.read<T>(running);
    return Operand(reordered_filter(w.sizes()), w.address).read<T>(running).reshaped(w.sizes());
  }

  Cost cost() const {
    return {.operations = how.operations(w.sizes(), y.sizes()),
            .bytes = x.bytes() + w.bytes() + y.bytes(),
            .pipe = pipe_of_layer(x.layout.type, how.rounds)};
  }
};

cudnnStatus_t make_work(const Call& call, const Convolution* c, const Tensor* of_x, const void* x, const Filter* of_w,
                        const void* w, const Tensor* of_y, const void* y, Work& out) {
  if (const auto status = check_convolution(c, of_x, of_w, of_y); status != CUDNN_STATUS_SUCCESS) return status;
  if (!x || !w || !y) return bad("no memory of a tensor");
  out = {convolution_of(*c), {of_x, x}, {of_w, w}, {of_y, y}};
  out.is_reordered = of_w->layout.vector == 32 && c->reorder_type == CUDNN_NO_REORDER;
  if (out.is_reordered && out.w.sizes()[0] % 8 != 0) return call.unsupported("with a reordered part of eight filters");
  out.how.rounds = of_x->layout.type == dnn::Type::f32 && of_w->layout.type == dnn::Type::f32 &&
                   c->math_type != CUDNN_FMA_MATH && has_tf32(*call.handle.driver);
  return CUDNN_STATUS_SUCCESS;
}

dnn::Tick tick_of(Running& running) {
  return [&running] { running.tick(); };
}

}  // namespace

cudnnStatus_t convolve(const Call& call, const void* alpha, const Tensor* of_x, const void* x, const Filter* of_w,
                       const void* w, const Convolution* c, cudnnConvolutionFwdAlgo_t, void*, size_t, const void* beta,
                       const Tensor* of_y, void* y) {
  Work made;
  if (const auto status = make_work(call, c, of_x, x, of_w, w, of_y, y, made); status != CUDNN_STATUS_SUCCESS)
    return status;
  return call.compute(
      made.in_double(), made.cost(), [made, factors = Factors(alpha, beta, made.y)](auto number, Running& running) {
        using T = decltype(number);
        const auto found =
            dnn::convolve(made.how, made.x.read<T>(running), made.filter<T>(running), made.y.sizes(), tick_of(running));
        made.y.write(running, found, factors.alpha, factors.beta);
      });
}

cudnnStatus_t convolve_fused(const Call& call, const void* alpha1, const Tensor* of_x, const void* x,
                             const Filter* of_w, const void* w, const Convolution* c, cudnnConvolutionFwdAlgo_t, void*,
                             size_t, const void* alpha2, const Tensor* of_z, const void* z, const Tensor* of_bias,
                             const void* bias, const Activation* activation, const Tensor* of_y, void* y) {
  Work made;
  if (const auto status = make_work(call, c, of_x, x, of_w, w, of_y, y, made); status != CUDNN_STATUS_SUCCESS)
    return status;
  if (!are_live(of_z, of_bias) || !are_live(activation) || !of_bias->is_set() || !bias)
    return bad("a descriptor is none, or not set");
  if (activation->mode != CUDNN_ACTIVATION_RELU && activation->mode != CUDNN_ACTIVATION_IDENTITY)
    return call.unsupported("with another activation than relu");
  dnn::Sizes channels(made.y.sizes().size(), 1);
  channels[1] = made.y.sizes()[1];
  if (of_bias->layout.sizes != channels) return bad("the sizes of the bias");
  if (made.is_reordered && channels[1] % 32 != 0) return call.unsupported("with a reordered part of 32 filters");
  const Factors factors(alpha1, alpha2, made.y);
  const bool adds = factors.beta != 0;
  if (adds && (!z || of_z->layout.sizes != made.y.sizes())) return bad("the sizes of what is added");
  const Operand of_each =
      made.is_reordered ? Operand(reordered_bias(of_bias->layout.type, channels[1]), bias) : Operand(of_bias, bias);
  const Operand added = adds ? Operand(of_z, z) : Operand();
  const bool has_relu = activation->mode == CUDNN_ACTIVATION_RELU;
  return call.compute(made.in_double(), made.cost(), [=](auto number, Running& running) {
    using T = decltype(number);
    auto found =
        dnn::convolve(made.how, made.x.read<T>(running), made.filter<T>(running), made.y.sizes(), tick_of(running));
    const auto wide = dnn::broadcast(of_each.read<T>(running).reshaped(channels), made.y.sizes());
    const auto other = adds ? added.read<T>(running) : dnn::Array<T>();
    for (std::int64_t k = 0; k < found.count(); ++k) {
      T& v = found.edit()[k];
      v = static_cast<T>(factors.alpha) * v + (adds ? static_cast<T>(factors.beta) * other[k] : T{0}) + wide[k];
      if (has_relu && v < T{0}) v = T{0};
    }
    made.y.write(running, found);
  });
}

cudnnStatus_t convolve_to_data(const Call& call, const void* alpha, const Filter* of_w, const void* w,
                               const Tensor* of_dy, const void* dy, const Convolution* c, cudnnConvolutionBwdDataAlgo_t,
                               void*, size_t, const void* beta, const Tensor* of_dx, void* dx) {
  Work made;
  if (const auto status = make_work(call, c, of_dx, dx, of_w, w, of_dy, dy, made); status != CUDNN_STATUS_SUCCESS)
    return status;
  if (of_w->layout.vector > 1) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "a gradient of vectors");
  return call.compute(
      made.y.is_double(), made.cost(), [made, factors = Factors(alpha, beta, made.x)](auto number, Running& running) {
        using T = decltype(number);
        const auto found = dnn::convolve_back_to_data(made.how, made.y.read<T>(running), made.w.read<T>(running),
                                                      made.x.sizes(), tick_of(running));
        made.x.write(running, found, factors.alpha, factors.beta);
      });
}

cudnnStatus_t convolve_to_filter(const Call& call, const void* alpha, const Tensor* of_x, const void* x,
                                 const Tensor* of_dy, const void* dy, const Convolution* c,
                                 cudnnConvolutionBwdFilterAlgo_t, void*, size_t, const void* beta, const Filter* of_dw,
                                 void* dw) {
  Work made;
  if (const auto status = make_work(call, c, of_x, x, of_dw, dw, of_dy, dy, made); status != CUDNN_STATUS_SUCCESS)
    return status;
  if (of_x->layout.vector > 1) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "a gradient of vectors");
  return call.compute(
      made.y.is_double(), made.cost(), [made, factors = Factors(alpha, beta, made.w)](auto number, Running& running) {
        using T = decltype(number);
        const auto found = dnn::convolve_back_to_filter(made.how, made.x.read<T>(running), made.y.read<T>(running),
                                                        made.w.sizes(), tick_of(running));
        made.w.write(running, found, factors.alpha, factors.beta);
      });
}

cudnnStatus_t convolve_to_bias(const Call& call, const void* alpha, const Tensor* of_dy, const void* dy,
                               const void* beta, const Tensor* of_db, void* db) {
  if (!are_live(of_dy, of_db) || !of_dy->is_set() || !of_db->is_set()) return bad("a descriptor is none, or not set");
  const Operand from(of_dy, dy), to(of_db, db);
  if (!dy || !db) return bad("no memory of a tensor");
  dnn::Sizes channels(from.sizes().size(), 1);
  if (channels.size() < 2) return bad("the number of dimensions");
  channels[1] = from.sizes()[1];
  if (to.sizes() != channels) return bad("the sizes of the bias");
  return call.compute(from.is_double(), {.operations = static_cast<double>(from.layout.count()), .bytes = from.bytes()},
                      [=, factors = Factors(alpha, beta, to)](auto number, Running& running) {
                        using T = decltype(number);
                        to.write(running, dnn::reduce(dnn::Reduction::add, from.read<T>(running), to.sizes()),
                                 factors.alpha, factors.beta);
                      });
}

cudnnStatus_t reorder_filter(const Call& call, const Filter* of_w, cudnnReorderType_t type, const void* from, void* to,
                             int has_bias, const void* bias, void* to_bias) {
  if (!are_live(of_w) || !of_w->is_set()) return bad("the descriptor is none, or not set");
  if (!from || !to || (has_bias && (!bias || !to_bias))) return bad("no memory of a filter or bias");
  if (type > CUDNN_NO_REORDER) return bad("no such order");
  const auto& sizes = of_w->layout.sizes;
  if (of_w->layout.vector != 32) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "a filter of other elements than INT8x32");
  if (type == CUDNN_NO_REORDER) return call.unsupported("without a new order");
  if (sizes[0] % (has_bias ? 32 : 8) != 0)
    return call.unsupported("of a number of filters that is no multiple of 8 or 32");
  const Operand plain(of_w, from), reordered(reordered_filter(sizes), to);
  const Operand of_bias(dnn::Layout{dnn::Type::f32, {sizes[0]}, {1}}, bias);
  const Operand new_bias(reordered_bias(dnn::Type::f32, sizes[0]), to_bias);
  return call.compute(false, {.operations = 0, .bytes = 2 * plain.bytes()}, [=](auto number, Running& running) {
    using T = decltype(number);
    reordered.write(running, plain.read<T>(running).reshaped(reordered.sizes()));
    if (has_bias) new_bias.write(running, of_bias.read<T>(running).reshaped(new_bias.sizes()));
  });
}

}  // namespace nvmlkit::cudnn::functions
