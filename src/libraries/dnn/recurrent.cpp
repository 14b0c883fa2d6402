#include "libraries/dnn/recurrent.hpp"

#include <algorithm>
#include <cmath>

#include "libraries/dnn/row_major.hpp"

namespace nvmlkit::dnn {
namespace {

template <class T>
T sigmoid_of(T x) {
  return T{1} / (T{1} + std::exp(-x));
}

}  // namespace

template <class T>
std::vector<T> Recurrent<T>::state(const Array<T>& states, std::int64_t pseudo, std::int64_t width) const {
  const std::int64_t count = sequences_.batch * width;
  if (states.sizes().empty()) return std::vector<T>(static_cast<std::size_t>(count));
  return std::vector<T>(states.data() + pseudo * count, states.data() + (pseudo + 1) * count);
}

// The part that depends on the input, for all times at once.
template <class T>
void Recurrent<T>::fill_gates(const Pass& pass, const T* x) {
  const std::int64_t rows = sequences_.rows(), width = shape_.gates() * shape_.hidden;
  T* const gates = at(places_.gates(pass.pseudo));
  if (const auto matrix = shape_.input_matrix(pass.pseudo); matrix.offset >= 0) {
    multiply(false, true, rows, width, matrix.columns, x, weight(matrix), T{0}, gates);
  } else {
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t k = 0; k < width; ++k) gates[row * width + k] = x[row * shape_.hidden + k % shape_.hidden];
  }
  if (const T* const bias = weight(shape_.input_bias(pass.pseudo)))
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t k = 0; k < width; ++k) gates[row * width + k] += bias[k];
}

// One sequence, one step. `recurrent`: what the output before gives to the gates.
template <class T>
void Recurrent<T>::run_cell(const Pass& pass, std::int64_t row, const T* recurrent, const T* h_before, T* c, T* h) {
  const std::int64_t n = shape_.hidden;
  T* const g = at(places_.gates(pass.pseudo)) + row * shape_.gates() * n;
  T* const cells = at(places_.cells(pass.pseudo)) + row * n;
  T* const raw = at(places_.raw(pass.pseudo)) + row * n;
  for (std::int64_t k = 0; k < n; ++k) {
    switch (shape_.cell) {
      case Cell::relu:
        h[k] = g[k] = std::max(T{0}, g[k] + recurrent[k]);
        break;
      case Cell::tanh:
        h[k] = g[k] = std::tanh(g[k] + recurrent[k]);
        break;
      case Cell::lstm: {
        for (const int gate : {0, 1, 3}) g[gate * n + k] = sigmoid_of(g[gate * n + k] + recurrent[gate * n + k]);
        g[2 * n + k] = std::tanh(g[2 * n + k] + recurrent[2 * n + k]);
        cells[k] = c[k] = g[n + k] * shape_.clipped(c[k]) + g[k] * g[2 * n + k];
        h[k] = g[3 * n + k] * std::tanh(shape_.clipped(c[k]));
        break;
      }
      case Cell::gru:
        for (const int gate : {0, 1}) g[gate * n + k] = sigmoid_of(g[gate * n + k] + recurrent[gate * n + k]);
        raw[k] = recurrent[2 * n + k];
        g[2 * n + k] = std::tanh(g[2 * n + k] + g[k] * raw[k]);
        h[k] = (T{1} - g[n + k]) * g[2 * n + k] + g[n + k] * h_before[k];
        break;
    }
  }
  if (shape_.is_projected()) std::copy_n(h, n, raw);
}

template <class T>
void Recurrent<T>::run_pass(const Pass& pass, const RecurrentStates<T>& from, RecurrentStates<T>& to) {
  const std::int64_t batch = sequences_.batch, n = shape_.hidden, o = shape_.output, width = shape_.gates() * n;
  auto h = state(from.h, pass.pseudo, o), c = state(from.c, pass.pseudo, n);
  std::vector<T> recurrent(static_cast<std::size_t>(batch * width)), made(static_cast<std::size_t>(batch * n)),
      next(static_cast<std::size_t>(batch * o));
  const T* const bias = weight(shape_.recurrent_bias(pass.pseudo));
  T* const y = at(places_.outputs(pass.layer)) + (pass.is_reverse ? o : 0);
  for (std::int64_t step = 0; step < sequences_.longest; ++step) {
    tick_();
    multiply(false, true, batch, width, o, h.data(), weight(shape_.recurrent_matrix(pass.pseudo)), T{0},
             recurrent.data());
    for (std::int64_t b = 0; b < batch; ++b) {
      const std::int64_t row = sequences_.row(step, b, pass.is_reverse);
      if (row < 0) continue;
      T* const own = recurrent.data() + b * width;
      for (std::int64_t k = 0; bias && k < width; ++k) own[k] += bias[k];
      run_cell(pass, row, own, h.data() + b * o, c.data() + b * n, made.data() + b * n);
    }
    if (shape_.is_projected())
      multiply(false, true, batch, o, n, made.data(), weight(shape_.projection(pass.pseudo)), T{0}, next.data());
    for (std::int64_t b = 0; b < batch; ++b) {
      const std::int64_t row = sequences_.row(step, b, pass.is_reverse);
      if (row < 0) continue;
      const T* const out = shape_.is_projected() ? next.data() + b * o : made.data() + b * n;
      std::copy_n(out, o, h.data() + b * o);
      std::copy_n(out, o, y + row * shape_.directions * o);
    }
  }
  std::copy(h.begin(), h.end(), to.h.edit() + pass.pseudo * batch * o);
  if (shape_.cell == Cell::lstm) std::copy(c.begin(), c.end(), to.c.edit() + pass.pseudo * batch * n);
}

// What a layer gives to the next one.
template <class T>
std::vector<T> Recurrent<T>::masked_outputs(std::int64_t layer, bool has_mask) {
  const std::int64_t count = sequences_.rows() * shape_.directions * shape_.output;
  std::vector<T> out(at(places_.outputs(layer)), at(places_.outputs(layer)) + count);
  const T* const mask = at(places_.mask(layer));
  for (std::size_t k = 0; has_mask && k < out.size(); ++k) out[k] *= mask[k];
  return out;
}

template <class T>
Array<T> Recurrent<T>::forward(const Array<T>& x, const RecurrentStates<T>& from, RecurrentStates<T>& to,
                               const Mask& mask) {
  const std::int64_t passes = shape_.layers * shape_.directions, width = shape_.directions * shape_.output;
  to.h = Array<T>({passes, sequences_.batch, shape_.output});
  to.c = Array<T>({passes, sequences_.batch, shape_.hidden});
  std::vector<T> input;
  for (std::int64_t layer = 0; layer < shape_.layers; ++layer) {
    std::fill_n(at(places_.outputs(layer)), sequences_.rows() * width, T{0});
    for (std::int64_t d = 0; d < shape_.directions; ++d) {
      const auto pass = pass_of(layer * shape_.directions + d);
      fill_gates(pass, layer == 0 ? x.data() : input.data());
      run_pass(pass, from, to);
    }
    if (layer + 1 == shape_.layers) break;
    if (mask)
      std::generate_n(at(places_.mask(layer)), sequences_.rows() * width, [&] { return static_cast<T>(mask()); });
    input = masked_outputs(layer, static_cast<bool>(mask));
  }
  Array<T> y({sequences_.longest, sequences_.batch, width});
  std::copy_n(at(places_.outputs(shape_.layers - 1)), y.count(), y.edit());
  return y;
}

template class Recurrent<float>;
template class Recurrent<double>;

}  // namespace nvmlkit::dnn
