#include "libraries/cudnn/functions/recurrent_settings.hpp"

#include <algorithm>

#include "libraries/cudnn/operand.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

template <class T>
void tell_one(T* out, T value) {
  if (out) *out = value;
}

bool is_number(cudnnDataType_t type) {
  return type == CUDNN_DATA_FLOAT || type == CUDNN_DATA_DOUBLE || type == CUDNN_DATA_HALF ||
         type == CUDNN_DATA_BFLOAT16;
}

// Of one gate: the rows of a matrix or of a vector. Without a descriptor, nobody wants to know the sizes.
void tell_part(const dnn::WeightPlace& place, std::int64_t gate, std::int64_t gates, const Rnn& r, const void* weights,
               Tensor* tensor, void** address) {
  if (place.offset < 0) {
    if (tensor) tensor->layout = {};
    if (address) *address = nullptr;
    return;
  }
  const dnn::Sizes sizes = {1, place.rows / gates, place.columns};
  const auto type = static_cast<dnn::Type>(r.type);
  if (tensor) tensor->layout = {type, sizes, dnn::dense_strides(sizes)};
  const auto offset = place.offset + gate * (place.rows / gates) * place.columns;
  const auto bytes = static_cast<std::size_t>(offset) * dnn::size_of(type);
  if (address) *address = weights ? static_cast<char*>(const_cast<void*>(weights)) + bytes : nullptr;
}

}  // namespace

dnn::RecurrentShape shape_of(const Rnn& r) {
  dnn::RecurrentShape out{.cell = static_cast<dnn::Cell>(r.mode),
                          .input = r.input_size,
                          .hidden = r.hidden_size,
                          .output = r.projected_size,
                          .layers = r.layers,
                          .directions = r.direction == CUDNN_BIDIRECTIONAL ? 2 : 1,
                          .has_input_bias = r.bias == CUDNN_RNN_SINGLE_INP_BIAS || r.bias == CUDNN_RNN_DOUBLE_BIAS,
                          .has_recurrent_bias = r.bias == CUDNN_RNN_SINGLE_REC_BIAS || r.bias == CUDNN_RNN_DOUBLE_BIAS,
                          .skips_input = r.input == CUDNN_SKIP_INPUT};
  if (r.clip == CUDNN_RNN_CLIP_NONE) return out;
  // As reported of NVIDIA's library: floats, whatever the type of the network.
  out.clip_low = static_cast<float>(r.clip_low);
  out.clip_high = static_cast<float>(r.clip_high);
  return out;
}

dnn::Sequences sequences_of(const RnnData& d) { return {d.longest, d.batch, d.lengths}; }

cudnnStatus_t set_recurrent(Rnn* r, cudnnRNNAlgo_t algo, cudnnRNNMode_t mode, cudnnRNNBiasMode_t bias,
                            cudnnDirectionMode_t direction, cudnnRNNInputMode_t input, cudnnDataType_t type,
                            cudnnDataType_t math, cudnnMathType_t math_type, std::int32_t input_size,
                            std::int32_t hidden_size, std::int32_t projected_size, std::int32_t layers,
                            Dropout* dropout, std::uint32_t flags) {
  if (!are_live(r) || (dropout && !are_live(dropout))) return bad("a descriptor is none");
  if (algo >= CUDNN_RNN_ALGO_COUNT || mode > CUDNN_GRU || bias > CUDNN_RNN_SINGLE_REC_BIAS ||
      direction > CUDNN_BIDIRECTIONAL || input > CUDNN_SKIP_INPUT)
    return bad("no such mode");
  if (input_size < 1 || hidden_size < 1 || layers < 1) return bad("a size below 1");
  if (projected_size < 1 || projected_size > hidden_size) return bad("the size of the projection");
  if (projected_size < hidden_size && mode != CUDNN_LSTM)
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, "a projection without LSTM");
  if (input == CUDNN_SKIP_INPUT && input_size != hidden_size) return bad("an input that is skipped has another size");
  if (!is_number(type) || !is_number(math)) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "the type of the elements");
  *r = Rnn{.algo = algo,
           .mode = mode,
           .bias = bias,
           .direction = direction,
           .input = input,
           .type = type,
           .math = math,
           .math_type = math_type,
           .input_size = input_size,
           .hidden_size = hidden_size,
           .projected_size = projected_size,
           .layers = layers,
           .dropout = dropout,
           .dropped = dropout ? *dropout : Dropout{},
           .flags = flags};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t get_recurrent(Rnn* r, cudnnRNNAlgo_t* algo, cudnnRNNMode_t* mode, cudnnRNNBiasMode_t* bias,
                            cudnnDirectionMode_t* direction, cudnnRNNInputMode_t* input, cudnnDataType_t* type,
                            cudnnDataType_t* math, cudnnMathType_t* math_type, std::int32_t* input_size,
                            std::int32_t* hidden_size, std::int32_t* projected_size, std::int32_t* layers,
                            Dropout** dropout, std::uint32_t* flags) {
  if (!are_live(r)) return bad("the descriptor is none");
  tell_one(algo, r->algo), tell_one(mode, r->mode), tell_one(bias, r->bias), tell_one(direction, r->direction);
  tell_one(input, r->input), tell_one(type, r->type), tell_one(math, r->math), tell_one(math_type, r->math_type);
  tell_one(input_size, r->input_size), tell_one(hidden_size, r->hidden_size);
  tell_one(projected_size, r->projected_size), tell_one(layers, r->layers);
  tell_one(dropout, r->dropout), tell_one(flags, r->flags);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t set_clip(Rnn* r, cudnnRNNClipMode_t mode, cudnnNanPropagation_t nan, double low, double high) {
  if (!are_live(r) || mode > CUDNN_RNN_CLIP_MINMAX || (mode == CUDNN_RNN_CLIP_MINMAX && !(low <= high)))
    return bad("the descriptor is none, or the bounds are not in order");
  r->clip = mode, r->clip_nan = nan, r->clip_low = low, r->clip_high = high;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t set_clip_9(Rnn* r, cudnnRNNClipMode_t mode, double low, double high) {
  return set_clip(r, mode, CUDNN_NOT_PROPAGATE_NAN, low, high);
}
cudnnStatus_t get_clip(Rnn* r, cudnnRNNClipMode_t* mode, cudnnNanPropagation_t* nan, double* low, double* high) {
  if (!are_live(r)) return bad("the descriptor is none");
  tell_one(mode, r->clip), tell_one(nan, r->clip_nan), tell_one(low, r->clip_low), tell_one(high, r->clip_high);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t get_clip_9(Rnn* r, cudnnRNNClipMode_t* mode, double* low, double* high) {
  return get_clip(r, mode, nullptr, low, high);
}

// Every algorithm is the same one here: there is nothing to build.
cudnnStatus_t build_dynamic(const Call&, Rnn* r, int batch) {
  return !are_live(r) || !r->is_set() || batch < 1 ? bad("the descriptor is none, or not set") : CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t set_sequences(RnnData* d, cudnnDataType_t type, cudnnRNNDataLayout_t layout, int longest, int batch,
                            int width, const int* lengths, void* fill) {
  if (!are_live(d)) return bad("the descriptor is none");
  if (layout > CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED || longest < 1 || batch < 1 || width < 1 || !lengths)
    return bad("a size below 1, or no such layout");
  if (type > CUDNN_DATA_COMPLEX_FP64) return bad("no such type of elements");
  if (!is_number(type)) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "the type of the elements");
  for (int k = 0; k < batch; ++k)
    if (lengths[k] < 0 || lengths[k] > longest) return bad("the length of a sequence");
  if (layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED && !std::is_sorted(lengths, lengths + batch, std::greater<>()))
    return bad("packed sequences lie from the longest to the shortest");
  *d = {type, layout, longest, batch, width, std::vector<int>(lengths, lengths + batch), std::nullopt};
  if (fill) {
    double value = 0;
    dnn::load_row(static_cast<dnn::Type>(type), fill, 1, &value);
    d->fill = value;
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t get_sequences(RnnData* d, cudnnDataType_t* type, cudnnRNNDataLayout_t* layout, int* longest, int* batch,
                            int* width, int requested, int* lengths, void* fill) {
  if (!are_live(d) || requested < 0) return bad("the descriptor is none");
  tell_one(type, d->type), tell_one(layout, d->layout), tell_one(longest, d->longest);
  tell_one(batch, d->batch), tell_one(width, d->width);
  for (int k = 0; lengths && k < std::min(requested, d->batch); ++k)
    lengths[k] = d->lengths[static_cast<std::size_t>(k)];
  const double value = d->fill.value_or(0);
  if (fill) dnn::store_row(static_cast<dnn::Type>(d->type), &value, 1, fill);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t size_of_memory(const Call&, Rnn* r, cudnnForwardMode_t mode, RnnData* x, size_t* work, size_t* reserve) {
  if (!are_live(r) || !are_live(x) || !r->is_set() || x->longest == 0) return bad("a descriptor is none, or not set");
  tell_one<std::size_t>(work, 0);
  const dnn::RecurrentMemory memory(shape_of(*r), sequences_of(*x).rows());
  const std::size_t size = r->type == CUDNN_DATA_DOUBLE ? sizeof(double) : sizeof(float);
  tell_one<std::size_t>(reserve, mode == CUDNN_FWD_MODE_TRAINING ? static_cast<std::size_t>(memory.count()) * size : 0);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t size_of_weights(const Call&, Rnn* r, size_t* out) {
  if (!are_live(r) || !r->is_set() || !out) return bad("the descriptor is none, or not set");
  *out = static_cast<std::size_t>(shape_of(*r).weights()) * dnn::size_of(static_cast<dnn::Type>(r->type));
  return CUDNN_STATUS_SUCCESS;
}

// Of the gates: those of the input first, then those of the output before; the projection stands last.
cudnnStatus_t place_of_weights(const Call&, Rnn* r, std::int32_t pseudo, size_t size, const void* weights,
                               std::int32_t linear, Tensor* of_matrix, void** matrix, Tensor* of_bias, void** bias) {
  const auto is_wrong = [](const Tensor* t) { return t && !are_live(t); };
  if (!are_live(r) || !r->is_set() || is_wrong(of_matrix) || is_wrong(of_bias))
    return bad("a descriptor is none, or not set");
  const auto shape = shape_of(*r);
  const auto gates = shape.gates();
  if (pseudo < 0 || pseudo >= shape.layers * shape.directions) return bad("there is no such layer");
  if (linear < 0 || linear > 2 * gates || (linear == 2 * gates && r->mode != CUDNN_LSTM)) return bad("no such matrix");
  if (size < static_cast<std::size_t>(shape.weights()) * dnn::size_of(static_cast<dnn::Type>(r->type)))
    return bad("the weights have no room");
  if (linear == 2 * gates) {
    tell_part(shape.projection(pseudo), 0, 1, *r, weights, of_matrix, matrix);
    tell_part({}, 0, 1, *r, weights, of_bias, bias);
    return CUDNN_STATUS_SUCCESS;
  }
  const bool is_input = linear < gates;
  tell_part(is_input ? shape.input_matrix(pseudo) : shape.recurrent_matrix(pseudo), linear % gates, gates, *r, weights,
            of_matrix, matrix);
  tell_part(is_input ? shape.input_bias(pseudo) : shape.recurrent_bias(pseudo), linear % gates, gates, *r, weights,
            of_bias, bias);
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace nvmlkit::cudnn::functions
