#include "libraries/cudnn/functions/recurrent.hpp"

#include "libraries/cudnn/functions/dropout.hpp"
#include "libraries/cudnn/functions/recurrent_settings.hpp"
#include "libraries/cudnn/operand.hpp"
#include "libraries/dnn/random.hpp"
#include "libraries/dnn/recurrent.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

// Sequences in memory of the device, in any of the layouts.
struct Rows {
  RnnData data;
  void* address;

  // Elements of the memory.
  std::int64_t count() const {
    if (data.layout != CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED)
      return std::int64_t{data.longest} * data.batch * data.width;
    std::int64_t out = 0;
    for (const int length : data.lengths) out += length;
    return out * data.width;
  }
  // work(element of [time, batch, width], element of the memory, is within its sequence), for each row.
  template <class Work>
  void each(Work work) const {
    std::int64_t packed = 0;
    for (std::int64_t t = 0; t < data.longest; ++t)
      for (std::int64_t b = 0; b < data.batch; ++b) {
        const bool is_there = t < data.lengths[static_cast<std::size_t>(b)];
        const std::int64_t row = t * data.batch + b;
        std::int64_t place = row;
        if (data.layout == CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED) place = b * data.longest + t;
        if (data.layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED) place = is_there ? packed++ : -1;
        work(row * data.width, place * data.width, is_there);
      }
  }
  template <class T>
  dnn::Array<T> read(Running& running) const {
    const auto type = static_cast<dnn::Type>(data.type);
    const auto size = dnn::size_of(type);
    const auto* const from = static_cast<const char*>(running.read(static_cast<const void*>(address), count(), size));
    dnn::Array<T> out({data.longest, data.batch, data.width});
    each([&](std::int64_t to, std::int64_t place, bool is_there) {
      if (is_there) dnn::load_row(type, from + static_cast<std::size_t>(place) * size, data.width, out.edit() + to);
    });
    return out;
  }
  template <class T>
  void write(Running& running, const dnn::Array<T>& elements) const {
    const auto type = static_cast<dnn::Type>(data.type);
    const auto size = dnn::size_of(type);
    auto* const to = static_cast<char*>(running.write(address, count(), size));
    const std::vector<T> fill(static_cast<std::size_t>(data.width), static_cast<T>(data.fill.value_or(0)));
    each([&](std::int64_t from, std::int64_t place, bool is_there) {
      if (place < 0) return;
      dnn::store_row(type, is_there ? elements.data() + from : fill.data(), data.width,
                     to + static_cast<std::size_t>(place) * size);
    });
  }
};

// What all three functions share.
struct Network {
  Rnn rnn;
  dnn::RecurrentShape shape;
  dnn::Sequences sequences;
  dnn::Layout h, c;
  const void *hx, *cx, *weights;
  void* reserve;

  bool in_double() const { return rnn.type == CUDNN_DATA_DOUBLE; }
  bool drops() const { return rnn.dropped.rate > 0 && rnn.layers > 1; }
  Cost cost(double passes) const {
    const double steps = static_cast<double>(sequences.rows());
    return {
        .operations = passes * shape.operations(sequences.rows()),
        .bytes = 4 * (static_cast<double>(shape.weights()) + steps * static_cast<double>(shape.input + shape.output)),
        .pipe = pipe_of_layer(static_cast<dnn::Type>(rnn.type), false)};
  }
  template <class T>
  dnn::RecurrentStates<T> states(Running& running, const void* at_h, const void* at_c) const {
    dnn::RecurrentStates<T> out;
    if (at_h) out.h = Operand(h, at_h).read<T>(running);
    if (at_c && shape.cell == dnn::Cell::lstm) out.c = Operand(c, at_c).read<T>(running);
    return out;
  }
  template <class T>
  void write(Running& running, const dnn::RecurrentStates<T>& states, void* at_h, void* at_c) const {
    if (at_h) Operand(h, at_h).write(running, states.h);
    if (at_c && shape.cell == dnn::Cell::lstm) Operand(c, at_c).write(running, states.c);
  }
  template <class T>
  std::vector<T> read_weights(Running& running) const {
    const auto type = static_cast<dnn::Type>(rnn.type);
    std::vector<T> out(static_cast<std::size_t>(shape.weights()));
    dnn::load_row(type, running.read(weights, shape.weights(), dnn::size_of(type)), shape.weights(), out.data());
    return out;
  }
  std::int64_t memory() const { return dnn::RecurrentMemory(shape, sequences.rows()).count(); }
};

cudnnStatus_t check_states(const Network& n, const Tensor* t, std::int64_t width, const void* any, dnn::Layout& out) {
  const dnn::Sizes sizes = {n.shape.layers * n.shape.directions, n.sequences.batch, width};
  out = {static_cast<dnn::Type>(n.rnn.type), sizes, dnn::dense_strides(sizes)};
  if (!any) return CUDNN_STATUS_SUCCESS;
  if (!are_live(t) || !t->is_set()) return bad("a descriptor of a state is none, or not set");
  out = t->layout;
  while (out.sizes.size() > sizes.size() && out.sizes.back() == 1) out.sizes.pop_back(), out.strides.pop_back();
  if (out.sizes != sizes) return bad("the sizes of a state");
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t make_network(const Rnn* r, const RnnData* x, const RnnData* y, Network& out) {
  if (!are_live(r) || !r->is_set() || !are_live(x, y) || x->longest == 0 || y->longest == 0)
    return bad("a descriptor is none, or not set");
  out.rnn = *r;
  out.shape = shape_of(*r);
  out.sequences = sequences_of(*x);
  if (x->width != out.shape.input || y->width != out.shape.directions * out.shape.output)
    return bad("the width of the data");
  if (x->type != r->type || y->type != r->type) return bad("the type of the data");
  if (x->lengths != y->lengths || x->longest != y->longest || x->layout != y->layout)
    return bad("the sequences of x and y");
  return CUDNN_STATUS_SUCCESS;
}

bool has_room(const Network& n, std::size_t weights, std::size_t reserve) {
  const auto size = n.in_double() ? sizeof(double) : sizeof(float);
  return weights >= static_cast<std::size_t>(n.shape.weights()) * dnn::size_of(static_cast<dnn::Type>(n.rnn.type)) &&
         reserve >= static_cast<std::size_t>(n.memory()) * size;
}

template <class T>
void forward(const Network& n, bool is_training, const Rows& x, const Rows& y, void* hy, void* cy, Running& running) {
  const auto weights = n.read_weights<T>(running);
  std::vector<T> own(is_training ? 0 : static_cast<std::size_t>(n.memory()));
  T* const memory = is_training ? running.write(static_cast<T*>(n.reserve), n.memory()) : own.data();
  dnn::Mask mask;
  std::uint64_t place = 0;
  if (is_training && n.drops()) {
    auto& states = *running.write(static_cast<DropoutStates*>(n.rnn.dropped.states), 1);
    const dnn::Random random(states.seed, states.drawn++);
    mask = [random, &place, rate = static_cast<double>(n.rnn.dropped.rate)] {
      return random.uniform(place++) >= rate ? 1 / (1 - rate) : 0.0;
    };
  }
  dnn::Recurrent<T> network(n.shape, n.sequences, weights.data(), memory, [&] { running.tick(); });
  dnn::RecurrentStates<T> to;
  y.write(running, network.forward(x.read<T>(running), n.states<T>(running, n.hx, n.cx), to, mask));
  n.write(running, to, hy, cy);
}

}  // namespace

cudnnStatus_t run_recurrent(const Call& call, Rnn* r, cudnnForwardMode_t mode, const std::int32_t*, RnnData* of_x,
                            const void* x, RnnData* of_y, void* y, Tensor* of_h, const void* hx, void* hy, Tensor* of_c,
                            const void* cx, void* cy, size_t weights_size, const void* weights, size_t, void*,
                            size_t reserve_size, void* reserve) {
  Network n;
  if (const auto status = make_network(r, of_x, of_y, n); status != CUDNN_STATUS_SUCCESS) return status;
  if (const auto status = check_states(n, of_h, n.shape.output, hx ? hx : hy, n.h); status != CUDNN_STATUS_SUCCESS)
    return status;
  if (const auto status = check_states(n, of_c, n.shape.hidden, r->mode == CUDNN_LSTM ? (cx ? cx : cy) : nullptr, n.c);
      status != CUDNN_STATUS_SUCCESS)
    return status;
  const bool is_training = mode == CUDNN_FWD_MODE_TRAINING;
  if (!x || !y || !weights || (is_training && !reserve)) return bad("no memory of a tensor");
  if (!has_room(n, weights_size, is_training ? reserve_size : ~std::size_t{0})) return bad("the memory has no room");
  if (is_training && n.drops() && !r->dropped.states) return bad("dropout without states");
  n.hx = hx, n.cx = cx, n.weights = weights, n.reserve = reserve;
  const Rows from{*of_x, const_cast<void*>(x)}, to{*of_y, y};
  return call.compute(n.in_double(), n.cost(1), [=](auto number, Running& running) {
    forward<decltype(number)>(n, is_training, from, to, hy, cy, running);
  });
}

cudnnStatus_t recurrent_to_data(const Call& call, Rnn* r, const std::int32_t*, RnnData* of_y, const void*,
                                const void* dy, RnnData* of_x, void* dx, Tensor* of_h, const void* hx, const void* dhy,
                                void* dhx, Tensor* of_c, const void* cx, const void* dcy, void* dcx,
                                size_t weights_size, const void* weights, size_t, void*, size_t reserve_size,
                                void* reserve) {
  Network n;
  if (const auto status = make_network(r, of_x, of_y, n); status != CUDNN_STATUS_SUCCESS) return status;
  const void* const any_h = hx ? hx : dhy ? dhy : dhx;
  const void* const any_c = r->mode != CUDNN_LSTM ? nullptr : cx ? cx : dcy ? dcy : dcx;
  if (const auto status = check_states(n, of_h, n.shape.output, any_h, n.h); status != CUDNN_STATUS_SUCCESS)
    return status;
  if (const auto status = check_states(n, of_c, n.shape.hidden, any_c, n.c); status != CUDNN_STATUS_SUCCESS)
    return status;
  if (!dy || !dx || !weights || !reserve) return bad("no memory of a tensor");
  if (!has_room(n, weights_size, reserve_size)) return bad("the memory has no room");
  n.hx = hx, n.cx = cx, n.weights = weights, n.reserve = reserve;
  const Rows from{*of_y, const_cast<void*>(dy)}, to{*of_x, dx};
  return call.compute(n.in_double(), n.cost(1), [=](auto number, Running& running) {
    using T = decltype(number);
    const auto own = n.read_weights<T>(running);
    T* const memory = running.write(static_cast<T*>(n.reserve), n.memory());
    dnn::Recurrent<T> network(n.shape, n.sequences, own.data(), memory, [&] { running.tick(); });
    dnn::RecurrentStates<T> gradient;
    const auto found = network.back_to_data(from.read<T>(running), n.states<T>(running, n.hx, n.cx),
                                            n.states<T>(running, dhy, dcy), gradient, n.drops());
    to.write(running, found);
    n.write(running, gradient, dhx, dcx);
  });
}

cudnnStatus_t recurrent_to_weights(const Call& call, Rnn* r, cudnnWgradMode_t mode, const std::int32_t*, RnnData* of_x,
                                   const void* x, Tensor* of_h, const void* hx, RnnData* of_y, const void*,
                                   size_t weights_size, void* gradients, size_t, void*, size_t reserve_size,
                                   void* reserve) {
  Network n;
  if (const auto status = make_network(r, of_x, of_y, n); status != CUDNN_STATUS_SUCCESS) return status;
  if (const auto status = check_states(n, of_h, n.shape.output, hx, n.h); status != CUDNN_STATUS_SUCCESS) return status;
  if (mode > CUDNN_WGRAD_MODE_SET) return bad("no such mode");
  if (!x || !gradients || !reserve) return bad("no memory of a tensor");
  if (!has_room(n, weights_size, reserve_size)) return bad("the memory has no room");
  n.hx = hx, n.cx = nullptr, n.weights = gradients, n.reserve = reserve;
  const Rows from{*of_x, const_cast<void*>(x)};
  return call.compute(n.in_double(), n.cost(1), [=](auto number, Running& running) {
    using T = decltype(number);
    auto sums = mode == CUDNN_WGRAD_MODE_ADD ? n.read_weights<T>(running)
                                             : std::vector<T>(static_cast<std::size_t>(n.shape.weights()));
    T* const memory = running.write(static_cast<T*>(n.reserve), n.memory());
    dnn::Recurrent<T> network(n.shape, n.sequences, nullptr, memory, [&] { running.tick(); });
    network.back_to_weights(from.read<T>(running), n.states<T>(running, n.hx, nullptr), sums.data(), n.drops());
    const auto type = static_cast<dnn::Type>(n.rnn.type);
    dnn::store_row(type, sums.data(), n.shape.weights(),
                   running.write(gradients, n.shape.weights(), dnn::size_of(type)));
  });
}

}  // namespace nvmlkit::cudnn::functions
