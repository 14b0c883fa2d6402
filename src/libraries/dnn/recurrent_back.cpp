// The backward passes of recurrent networks.
#include <algorithm>
#include <cmath>

#include "libraries/dnn/recurrent.hpp"
#include "libraries/dnn/row_major.hpp"

namespace nvmlkit::dnn {

template <class T>
const T* Recurrent<T>::output_before(const Pass& pass, const RecurrentStates<T>& from, std::int64_t step,
                                     std::int64_t b) {
  const std::int64_t row = sequences_.row(step - 1, b, pass.is_reverse), o = shape_.output;
  if (row >= 0) return at(places_.outputs(pass.layer)) + row * shape_.directions * o + (pass.is_reverse ? o : 0);
  return from.h.sizes().empty() ? nullptr : from.h.data() + (pass.pseudo * sequences_.batch + b) * o;
}

template <class T>
const T* Recurrent<T>::cell_before(const Pass& pass, const RecurrentStates<T>& from, std::int64_t step,
                                   std::int64_t b) {
  const std::int64_t row = sequences_.row(step - 1, b, pass.is_reverse), n = shape_.hidden;
  if (row >= 0) return at(places_.cells(pass.pseudo)) + row * n;
  return from.c.sizes().empty() ? nullptr : from.c.data() + (pass.pseudo * sequences_.batch + b) * n;
}

// One sequence, one step: the gates become their gradients. `recurrent` gets those of the recurrent part, `kept` what
// the output before gets besides.
template <class T>
void Recurrent<T>::back_cell(const Pass& pass, std::int64_t row, const T* h_before, const T* c_before, const T* dh,
                             T* dc, T* recurrent, T* kept) {
  const std::int64_t n = shape_.hidden;
  T* const g = at(places_.gates(pass.pseudo)) + row * shape_.gates() * n;
  const T* const cells = at(places_.cells(pass.pseudo)) + row * n;
  T* const raw = at(places_.raw(pass.pseudo)) + row * n;
  for (std::int64_t k = 0; k < n; ++k) {
    switch (shape_.cell) {
      case Cell::relu:
        recurrent[k] = g[k] = g[k] > T{0} ? dh[k] : T{0};
        break;
      case Cell::tanh:
        recurrent[k] = g[k] = dh[k] * (T{1} - g[k] * g[k]);
        break;
      case Cell::lstm: {
        const T i = g[k], f = g[n + k], a = g[2 * n + k], o = g[3 * n + k], t = std::tanh(shape_.clipped(cells[k]));
        if (!shape_.is_clipped(cells[k])) dc[k] += dh[k] * o * (T{1} - t * t);
        g[k] = dc[k] * a * i * (T{1} - i);
        g[n + k] = (c_before ? dc[k] * shape_.clipped(c_before[k]) : T{0}) * f * (T{1} - f);
        g[2 * n + k] = dc[k] * i * (T{1} - a * a);
        g[3 * n + k] = dh[k] * t * o * (T{1} - o);
        for (int gate = 0; gate < 4; ++gate) recurrent[gate * n + k] = g[gate * n + k];
        dc[k] *= c_before && shape_.is_clipped(c_before[k]) ? T{0} : f;
        break;
      }
      case Cell::gru: {
        const T r = g[k], z = g[n + k], a = g[2 * n + k], before = h_before ? h_before[k] : T{0};
        const T da = dh[k] * (T{1} - z) * (T{1} - a * a);
        g[k] = recurrent[k] = da * raw[k] * r * (T{1} - r);
        g[n + k] = recurrent[n + k] = dh[k] * (before - a) * z * (T{1} - z);
        g[2 * n + k] = da;
        raw[k] = recurrent[2 * n + k] = da * r;
        kept[k] = dh[k] * z;
        break;
      }
    }
  }
}

// dh and dc become those of the step before.
template <class T>
void Recurrent<T>::back_step(const Pass& pass, std::int64_t step, const RecurrentStates<T>& from, std::vector<T>& dh,
                             std::vector<T>& dc) {
  const std::int64_t batch = sequences_.batch, n = shape_.hidden, o = shape_.output, width = shape_.gates() * n;
  std::vector<T> made, recurrent(static_cast<std::size_t>(batch * width)), kept(static_cast<std::size_t>(batch * n)),
      next(static_cast<std::size_t>(batch * o));
  if (shape_.is_projected()) {
    made.resize(static_cast<std::size_t>(batch * n));
    multiply(false, false, batch, n, o, dh.data(), weight(shape_.projection(pass.pseudo)), T{0}, made.data());
  }
  const T* const raw_dh = shape_.is_projected() ? made.data() : dh.data();
  for (std::int64_t b = 0; b < batch; ++b) {
    const std::int64_t row = sequences_.row(step, b, pass.is_reverse);
    if (row < 0) continue;
    if (shape_.is_projected()) std::copy_n(dh.data() + b * o, o, at(places_.projected(pass.pseudo)) + row * o);
    back_cell(pass, row, output_before(pass, from, step, b), cell_before(pass, from, step, b), raw_dh + b * n,
              dc.data() + b * n, recurrent.data() + b * width, kept.data() + b * n);
  }
  multiply(false, false, batch, o, width, recurrent.data(), weight(shape_.recurrent_matrix(pass.pseudo)), T{0},
           next.data());
  for (std::int64_t b = 0; b < batch; ++b) {
    if (sequences_.row(step, b, pass.is_reverse) < 0) continue;
    for (std::int64_t k = 0; k < o; ++k)
      dh[static_cast<std::size_t>(b * o + k)] =
          next[static_cast<std::size_t>(b * o + k)] +
          (shape_.cell == Cell::gru ? kept[static_cast<std::size_t>(b * n + k)] : T{0});
  }
}

template <class T>
void Recurrent<T>::back_pass(const Pass& pass, const T* dy, const RecurrentStates<T>& from,
                             const RecurrentStates<T>& to_gradient, RecurrentStates<T>& from_gradient) {
  const std::int64_t batch = sequences_.batch, n = shape_.hidden, o = shape_.output, width = shape_.directions * o;
  auto dh = state(to_gradient.h, pass.pseudo, o), dc = state(to_gradient.c, pass.pseudo, n);
  std::vector<bool> is_set(static_cast<std::size_t>(sequences_.rows()));
  for (std::int64_t step = sequences_.longest; step-- > 0;) {
    tick_();
    for (std::int64_t b = 0; b < batch; ++b) {
      const std::int64_t row = sequences_.row(step, b, pass.is_reverse);
      if (row < 0) continue;
      is_set[static_cast<std::size_t>(row)] = true;
      const T* const own = dy + row * width + (pass.is_reverse ? o : 0);
      for (std::int64_t k = 0; k < o; ++k) dh[static_cast<std::size_t>(b * o + k)] += own[k];
    }
    back_step(pass, step, from, dh, dc);
  }
  // Behind the end of a sequence there are no gradients.
  for (std::int64_t row = 0; row < sequences_.rows(); ++row) {
    if (is_set[static_cast<std::size_t>(row)]) continue;
    std::fill_n(at(places_.gates(pass.pseudo)) + row * shape_.gates() * n, shape_.gates() * n, T{0});
    std::fill_n(at(places_.raw(pass.pseudo)) + row * n, n, T{0});
    std::fill_n(at(places_.projected(pass.pseudo)) + row * o, o, T{0});
  }
  std::copy(dh.begin(), dh.end(), from_gradient.h.edit() + pass.pseudo * batch * o);
  std::copy(dc.begin(), dc.end(), from_gradient.c.edit() + pass.pseudo * batch * n);
}

template <class T>
void Recurrent<T>::add_input_gradient(const Pass& pass, T* dx) {
  const std::int64_t rows = sequences_.rows(), n = shape_.hidden, width = shape_.gates() * n;
  const T* const gates = at(places_.gates(pass.pseudo));
  if (const auto matrix = shape_.input_matrix(pass.pseudo); matrix.offset >= 0)
    return multiply(false, false, rows, matrix.columns, width, gates, weight(matrix), T{1}, dx);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t k = 0; k < width; ++k) dx[row * n + k % n] += gates[row * width + k];
}

template <class T>
Array<T> Recurrent<T>::back_to_data(const Array<T>& dy, const RecurrentStates<T>& from,
                                    const RecurrentStates<T>& to_gradient, RecurrentStates<T>& from_gradient,
                                    bool has_mask) {
  const std::int64_t passes = shape_.layers * shape_.directions;
  from_gradient.h = Array<T>({passes, sequences_.batch, shape_.output});
  from_gradient.c = Array<T>({passes, sequences_.batch, shape_.hidden});
  Array<T> above = dy;
  for (std::int64_t layer = shape_.layers; layer-- > 0;) {
    Array<T> below({sequences_.longest, sequences_.batch, shape_.input_of(layer)});
    for (std::int64_t d = 0; d < shape_.directions; ++d) {
      const auto pass = pass_of(layer * shape_.directions + d);
      back_pass(pass, above.data(), from, to_gradient, from_gradient);
      add_input_gradient(pass, below.edit());
    }
    if (layer > 0 && has_mask)
      for (std::int64_t k = 0; k < below.count(); ++k) below.edit()[k] *= at(places_.mask(layer - 1))[k];
    above = std::move(below);
  }
  return above;
}

// Those of the gates, with the recurrent part of GRU's new gate.
template <class T>
std::vector<T> Recurrent<T>::recurrent_gradients(const Pass& pass) {
  const std::int64_t rows = sequences_.rows(), n = shape_.hidden, width = shape_.gates() * n;
  const T* const gates = at(places_.gates(pass.pseudo));
  std::vector<T> out(gates, gates + rows * width);
  for (std::int64_t row = 0; shape_.cell == Cell::gru && row < rows; ++row)
    std::copy_n(at(places_.raw(pass.pseudo)) + row * n, n, out.data() + row * width + 2 * n);
  return out;
}

template <class T>
void Recurrent<T>::add_weight_gradients(const Pass& pass, const T* x, const RecurrentStates<T>& from, T* gradients) {
  const std::int64_t rows = sequences_.rows(), n = shape_.hidden, o = shape_.output, width = shape_.gates() * n;
  const T* const gates = at(places_.gates(pass.pseudo));
  const auto recurrent = recurrent_gradients(pass);
  std::vector<T> before(static_cast<std::size_t>(rows * o));
  for (std::int64_t step = 0; step < sequences_.longest; ++step)
    for (std::int64_t b = 0; b < sequences_.batch; ++b)
      if (const auto row = sequences_.row(step, b, pass.is_reverse); row >= 0)
        if (const T* const h = output_before(pass, from, step, b)) std::copy_n(h, o, before.data() + row * o);
  if (const auto matrix = shape_.input_matrix(pass.pseudo); matrix.offset >= 0)
    multiply(true, false, width, matrix.columns, rows, gates, x, T{1}, gradients + matrix.offset);
  multiply(true, false, width, o, rows, recurrent.data(), before.data(), T{1},
           gradients + shape_.recurrent_matrix(pass.pseudo).offset);
  if (const auto matrix = shape_.projection(pass.pseudo); matrix.offset >= 0)
    multiply(true, false, o, n, rows, at(places_.projected(pass.pseudo)), at(places_.raw(pass.pseudo)), T{1},
             gradients + matrix.offset);
  const auto add_rows = [&](const WeightPlace& bias, const T* from_rows) {
    for (std::int64_t row = 0; bias.offset >= 0 && row < rows; ++row)
      for (std::int64_t k = 0; k < width; ++k) gradients[bias.offset + k] += from_rows[row * width + k];
  };
  add_rows(shape_.input_bias(pass.pseudo), gates);
  add_rows(shape_.recurrent_bias(pass.pseudo), recurrent.data());
}

template <class T>
void Recurrent<T>::back_to_weights(const Array<T>& x, const RecurrentStates<T>& from, T* gradients, bool has_mask) {
  for (std::int64_t layer = 0; layer < shape_.layers; ++layer) {
    const auto input = layer == 0 ? std::vector<T>() : masked_outputs(layer - 1, has_mask);
    for (std::int64_t d = 0; d < shape_.directions; ++d) {
      tick_();
      add_weight_gradients(pass_of(layer * shape_.directions + d), layer == 0 ? x.data() : input.data(), from,
                           gradients);
    }
  }
}

#define NVMLKIT_DNN_FOR(T)                                                                                            \
  template Array<T> Recurrent<T>::back_to_data(const Array<T>&, const RecurrentStates<T>&, const RecurrentStates<T>&, \
                                               RecurrentStates<T>&, bool);                                            \
  template void Recurrent<T>::back_to_weights(const Array<T>&, const RecurrentStates<T>&, T*, bool)
NVMLKIT_DNN_FOR(float);
NVMLKIT_DNN_FOR(double);
#undef NVMLKIT_DNN_FOR

}  // namespace nvmlkit::dnn
