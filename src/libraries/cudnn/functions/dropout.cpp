#include "libraries/cudnn/functions/dropout.hpp"

#include "libraries/cudnn/operand.hpp"
#include "libraries/dnn/random.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

cudnnStatus_t set(Dropout* d, Handle* handle, float rate, void* states, size_t size, unsigned long long seed) {
  if (!are_live(d) || !are_live(handle)) return bad("the descriptor or the handle is none");
  if (!(rate >= 0 && rate <= 1)) return bad("the rate is not within 0 and 1");
  if (states && size < sizeof(DropoutStates)) return bad("the states have no room");
  *d = {rate, states, seed};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t check(const Dropout* d, const Tensor* x, const Tensor* y, const void* from, const void* to,
                    const void* reserve, std::size_t size) {
  if (!are_live(d) || !are_live(x, y) || !x->is_set() || !y->is_set() || x->layout.sizes != y->layout.sizes)
    return bad("the descriptors do not fit");
  if (!from || !to || !reserve) return bad("no memory of a tensor");
  return size < static_cast<std::size_t>(x->layout.count()) ? bad("the reserve has no room") : CUDNN_STATUS_SUCCESS;
}

}  // namespace

cudnnStatus_t size_of_states(const Call&, size_t* out) {
  if (!out) return bad("no place for the size");
  *out = sizeof(DropoutStates);
  return CUDNN_STATUS_SUCCESS;
}

// A byte of each element.
cudnnStatus_t size_of_mask(Tensor* x, size_t* out) {
  if (!are_live(x) || !x->is_set() || !out) return bad("the descriptor is none");
  *out = static_cast<std::size_t>(x->layout.count());
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t set_dropout(Dropout* d, Handle* handle, float rate, void* states, size_t size, unsigned long long seed) {
  if (const auto status = set(d, handle, rate, states, size, seed); status != CUDNN_STATUS_SUCCESS) return status;
  if (!states) return CUDNN_STATUS_SUCCESS;
  return Call{*handle, "cudnnSetDropoutDescriptor"}.enqueue({.bytes = 16}, [=](Running& running) {
    *running.write(static_cast<DropoutStates*>(states), 1) = {seed, 0};
  });
}

cudnnStatus_t restore_dropout(Dropout* d, Handle* handle, float rate, void* states, size_t size,
                              unsigned long long seed) {
  return set(d, handle, rate, states, size, seed);
}

cudnnStatus_t get_dropout(Dropout* d, Handle* handle, float* rate, void** states, unsigned long long* seed) {
  if (!are_live(d) || !are_live(handle)) return bad("the descriptor or the handle is none");
  if (rate) *rate = d->rate;
  if (states) *states = d->states;
  if (seed) *seed = d->seed;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t drop(const Call& call, const Dropout* d, const Tensor* of_x, const void* x, const Tensor* of_y, void* y,
                   void* reserve, size_t reserve_size) {
  if (const auto status = check(d, of_x, of_y, x, y, reserve, reserve_size); status != CUDNN_STATUS_SUCCESS)
    return status;
  if (!d->states) return bad("dropout without states");
  const Operand from(of_x, x), to(of_y, y);
  return call.compute(from.is_double(), {.operations = 50.0 * from.bytes(), .bytes = 2 * from.bytes()},
                      [=, dropout = *d](auto number, Running& running) {
                        using T = decltype(number);
                        auto& states = *running.write(static_cast<DropoutStates*>(dropout.states), 1);
                        const auto elements = from.read<T>(running);
                        auto* const mask = running.write(static_cast<std::uint8_t*>(reserve), elements.count());
                        const dnn::Random random(states.seed, states.drawn);
                        dnn::Array<T> out(elements.sizes());
                        const T scale = dropout.rate < 1 ? T{1} / (T{1} - static_cast<T>(dropout.rate)) : T{0};
                        for (std::int64_t k = 0; k < out.count(); ++k) {
                          mask[k] = random.uniform(static_cast<std::uint64_t>(k)) >= dropout.rate;
                          out.edit()[k] = mask[k] ? elements[k] * scale : T{0};
                        }
                        ++states.drawn;
                        to.write(running, out);
                      });
}

cudnnStatus_t drop_back(const Call& call, const Dropout* d, const Tensor* of_dy, const void* dy, const Tensor* of_dx,
                        void* dx, void* reserve, size_t reserve_size) {
  if (const auto status = check(d, of_dy, of_dx, dy, dx, reserve, reserve_size); status != CUDNN_STATUS_SUCCESS)
    return status;
  const Operand from(of_dy, dy), to(of_dx, dx);
  return call.compute(from.is_double(), {.operations = from.bytes(), .bytes = 2 * from.bytes()},
                      [=, rate = d->rate](auto number, Running& running) {
                        using T = decltype(number);
                        const auto elements = from.read<T>(running);
                        const auto* const mask =
                            running.read(static_cast<const std::uint8_t*>(reserve), elements.count());
                        dnn::Array<T> out(elements.sizes());
                        const T scale = rate < 1 ? T{1} / (T{1} - static_cast<T>(rate)) : T{0};
                        for (std::int64_t k = 0; k < out.count(); ++k)
                          out.edit()[k] = mask[k] ? elements[k] * scale : T{0};
                        to.write(running, out);
                      });
}

}  // namespace nvmlkit::cudnn::functions
