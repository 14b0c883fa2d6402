// Recurrent networks over dense arrays: RNN, LSTM and GRU, of several layers and directions.
#pragma once

#include <functional>

#include "libraries/dnn/convolution.hpp"
#include "libraries/dnn/recurrent_shape.hpp"

namespace nvmlkit::dnn {

// Whether an element is kept, as a factor: 0, or more than 1. Null: all are.
using Mask = std::function<double()>;

template <class T>
struct RecurrentStates {
  Array<T> h, c;  // [layers * directions, batch, output], [layers * directions, batch, hidden]; empty: 0
};

// One pass through a network. x is [time, batch, input], with 0 behind the end of a sequence; y is [time, batch,
// directions * output].
template <class T>
class Recurrent {
 public:
  // `weights` has shape.weights() numbers, `memory` RecurrentMemory(shape, sequences.rows()).count().
  Recurrent(const RecurrentShape& shape, const Sequences& sequences, const T* weights, T* memory, Tick tick)
      : shape_(shape),
        sequences_(sequences),
        places_(shape, sequences.rows()),
        weights_(weights),
        memory_(memory),
        tick_(std::move(tick)) {}

  Array<T> forward(const Array<T>& x, const RecurrentStates<T>& from, RecurrentStates<T>& to, const Mask& mask);
  // The gradient of x; leaves the gradients of the gates in the memory.
  Array<T> back_to_data(const Array<T>& dy, const RecurrentStates<T>& from, const RecurrentStates<T>& to_gradient,
                        RecurrentStates<T>& from_gradient, bool has_mask);
  // Adds to the gradients of the weights; behind back_to_data.
  void back_to_weights(const Array<T>& x, const RecurrentStates<T>& from, T* gradients, bool has_mask);

 private:
  struct Pass {
    std::int64_t pseudo, layer;
    bool is_reverse;
  };
  Pass pass_of(std::int64_t pseudo) const {
    return {pseudo, pseudo / shape_.directions, pseudo % shape_.directions == 1};
  }
  T* at(std::int64_t place) { return memory_ + place; }
  const T* weight(const WeightPlace& place) const { return place.offset < 0 ? nullptr : weights_ + place.offset; }
  std::vector<T> state(const Array<T>& states, std::int64_t pseudo, std::int64_t width) const;
  // Where the output of the step before is, of one sequence.
  const T* output_before(const Pass& pass, const RecurrentStates<T>& from, std::int64_t step, std::int64_t b);
  const T* cell_before(const Pass& pass, const RecurrentStates<T>& from, std::int64_t step, std::int64_t b);

  void fill_gates(const Pass& pass, const T* x);
  void run_pass(const Pass& pass, const RecurrentStates<T>& from, RecurrentStates<T>& to);
  void run_cell(const Pass& pass, std::int64_t row, const T* recurrent, const T* h_before, T* c, T* h);
  std::vector<T> masked_outputs(std::int64_t layer, bool has_mask);

  void back_pass(const Pass& pass, const T* dy, const RecurrentStates<T>& from, const RecurrentStates<T>& to_gradient,
                 RecurrentStates<T>& from_gradient);
  void back_step(const Pass& pass, std::int64_t step, const RecurrentStates<T>& from, std::vector<T>& dh,
                 std::vector<T>& dc);
  void back_cell(const Pass& pass, std::int64_t row, const T* h_before, const T* c_before, const T* dh, T* dc,
                 T* recurrent, T* kept);
  void add_input_gradient(const Pass& pass, T* dx);
  void add_weight_gradients(const Pass& pass, const T* x, const RecurrentStates<T>& from, T* gradients);
  std::vector<T> recurrent_gradients(const Pass& pass);

  RecurrentShape shape_;
  const Sequences& sequences_;
  RecurrentMemory places_;
  const T* weights_;
  T* memory_;
  Tick tick_;
};

}  // namespace nvmlkit::dnn
