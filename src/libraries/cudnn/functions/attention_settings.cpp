#include "libraries/cudnn/functions/attention_settings.hpp"

#include <algorithm>

#include "libraries/cudnn/operand.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

constexpr int kSequenceAxes = 4;

bool is_attended(cudnnDataType_t type) {
  return type == CUDNN_DATA_FLOAT || type == CUDNN_DATA_DOUBLE || type == CUDNN_DATA_HALF ||
         type == CUDNN_DATA_BFLOAT16;
}
bool goes_with(cudnnDataType_t type, cudnnDataType_t math) {
  if (type == CUDNN_DATA_HALF) return math == CUDNN_DATA_HALF || math == CUDNN_DATA_FLOAT;
  return math == (type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT);
}

template <class T>
void tell_setting(T* out, T value) {
  if (out) *out = value;
}

}  // namespace

dnn::AttentionShape shape_of(const Attention& a) {
  dnn::AttentionShape out;
  out.heads = a.heads;
  std::copy(a.widths.begin(), a.widths.end(), out.width);
  std::copy(a.projected.begin(), a.projected.end(), out.projected);
  out.has_biases = a.mode & kHasBiases;
  out.scale = a.scale;
  return out;
}

AttentionMemory::AttentionMemory(const Attention& a)
    : sequences(std::int64_t{a.most_batches} * a.most_beams),
      shares(std::int64_t{a.heads} * a.longest_query * a.longest_key),
      outputs(a.longest_query * shape_of(a).output_width()),
      drops_shares(a.shares_dropped.rate > 0),
      drops_output(a.output_dropped.rate > 0) {}

cudnnStatus_t set_attention(Attention* a, unsigned mode, int heads, double scale, cudnnDataType_t type,
                            cudnnDataType_t math, cudnnMathType_t math_type, Dropout* of_shares, Dropout* of_output,
                            int q, int k, int v, int q_projected, int k_projected, int v_projected, int o_projected,
                            int longest_query, int longest_key, int most_batches, int most_beams) {
  const auto is_wrong = [](const Dropout* d) { return d && !are_live(d); };
  if (!are_live(a) || is_wrong(of_shares) || is_wrong(of_output)) return bad("a descriptor is none");
  if (mode > (kOneToOne | kHasBiases) || math_type > CUDNN_FMA_MATH) return bad("no such mode");
  if (!is_attended(type) || math > CUDNN_DATA_HALF) return bad("the type of the elements, or of the computation");
  if (heads < 1 || scale < 0 || std::min({q, k, v, longest_query, longest_key, most_batches, most_beams}) < 1 ||
      std::min({q_projected, k_projected, v_projected, o_projected}) < 0)
    return bad("a size or a scale is too small");
  if ((q_projected > 0 ? q_projected : q) != (k_projected > 0 ? k_projected : k))
    return bad("queries and keys differ in length");
  if (!goes_with(type, math)) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "the type of the computation");
  *a = Attention{.mode = mode,
                 .heads = heads,
                 .scale = scale,
                 .type = type,
                 .math = math,
                 .math_type = math_type,
                 .of_shares = of_shares,
                 .of_output = of_output,
                 .shares_dropped = of_shares ? *of_shares : Dropout{},
                 .output_dropped = of_output ? *of_output : Dropout{},
                 .widths = {q, k, v},
                 .projected = {q_projected, k_projected, v_projected, o_projected},
                 .longest_query = longest_query,
                 .longest_key = longest_key,
                 .most_batches = most_batches,
                 .most_beams = most_beams};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t get_attention(Attention* a, unsigned* mode, int* heads, double* scale, cudnnDataType_t* type,
                            cudnnDataType_t* math, cudnnMathType_t* math_type, Dropout** of_shares, Dropout** of_output,
                            int* q, int* k, int* v, int* q_projected, int* k_projected, int* v_projected,
                            int* o_projected, int* longest_query, int* longest_key, int* most_batches,
                            int* most_beams) {
  if (!are_live(a)) return bad("the descriptor is none");
  tell_setting(mode, a->mode), tell_setting(heads, a->heads), tell_setting(scale, a->scale),
      tell_setting(type, a->type), tell_setting(math, a->math);
  tell_setting(math_type, a->math_type), tell_setting(of_shares, a->of_shares), tell_setting(of_output, a->of_output);
  int* const places[] = {q, k, v, q_projected, k_projected, v_projected, o_projected};
  for (std::size_t i = 0; i < std::size(places); ++i)
    tell_setting(places[i], i < a->widths.size() ? a->widths[i] : a->projected[i - a->widths.size()]);
  tell_setting(longest_query, a->longest_query), tell_setting(longest_key, a->longest_key);
  tell_setting(most_batches, a->most_batches), tell_setting(most_beams, a->most_beams);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t set_sequence_data(SequenceData* d, cudnnDataType_t type, int count, const int* sizes,
                                const cudnnSeqDataAxis_t* axes, size_t lengths_size, const int* lengths, void* fill) {
  if (!are_live(d) || !sizes || !axes || !lengths) return bad("the descriptor is none, or an array is missing");
  if (count < 1 || type > CUDNN_DATA_COMPLEX_FP64) return bad("no dimensions, or no such type");
  if (count != kSequenceAxes) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "sequences have 4 dimensions");
  if (!is_attended(type)) return refuse(CUDNN_STATUS_INTERNAL_ERROR, "the type of the elements");
  if (std::any_of(sizes, sizes + kSequenceAxes, [](int size) { return size < 1; })) return bad("a size below 1");
  unsigned seen = 0;
  for (int k = 0; k < kSequenceAxes; ++k)
    if (axes[k] <= CUDNN_SEQDATA_VECT_DIM) seen |= 1u << axes[k];
  if (seen != 0xF || axes[kSequenceAxes - 1] != CUDNN_SEQDATA_VECT_DIM) return bad("the axes");
  const int batches = sizes[CUDNN_SEQDATA_BATCH_DIM], beams = sizes[CUDNN_SEQDATA_BEAM_DIM];
  if (lengths_size != static_cast<std::size_t>(batches) * static_cast<std::size_t>(beams))
    return bad("there is one length for each sequence");
  for (std::size_t k = 0; k < lengths_size; ++k)
    if (lengths[k] < 1 || lengths[k] > sizes[CUDNN_SEQDATA_TIME_DIM]) return bad("the length of a sequence");
  d->type = type;
  std::copy_n(sizes, kSequenceAxes, d->sizes.begin());
  std::copy_n(axes, kSequenceAxes, d->axes.begin());
  d->lengths.assign(lengths, lengths + lengths_size);
  d->fill.reset();
  if (fill) {
    double value = 0;
    dnn::load_row(static_cast<dnn::Type>(type), fill, 1, &value);
    d->fill = value;
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t get_sequence_data(const SequenceData* d, cudnnDataType_t* type, int* count, int requested, int* sizes,
                                cudnnSeqDataAxis_t* axes, size_t* lengths_size, size_t lengths_requested, int* lengths,
                                void* fill) {
  if (!are_live(d)) return bad("the descriptor is none");
  tell_setting(type, d->type), tell_setting(count, kSequenceAxes), tell_setting(lengths_size, d->lengths.size());
  const auto some = static_cast<std::size_t>(std::clamp(requested, 0, kSequenceAxes));
  if (sizes) std::copy_n(d->sizes.begin(), some, sizes);
  if (axes) std::copy_n(d->axes.begin(), some, axes);
  if (lengths) std::copy_n(d->lengths.begin(), std::min(lengths_requested, d->lengths.size()), lengths);
  // As in NVIDIA's library.
  if (fill && d->type == CUDNN_DATA_BFLOAT16) return refuse(CUDNN_STATUS_INTERNAL_ERROR, "a fill of bfloat16");
  const double value = d->fill.value_or(0);
  if (fill) dnn::store_row(static_cast<dnn::Type>(d->type), &value, 1, fill);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t size_of_attention(const Call&, const Attention* a, size_t* weights, size_t* work, size_t* reserve) {
  if (!are_live(a) || !weights) return bad("the descriptor is none, or there is no place for the size");
  const auto size = a->type == CUDNN_DATA_DOUBLE ? sizeof(double) : sizeof(float);
  *weights = a->is_set()
                 ? static_cast<std::size_t>(shape_of(*a).weight_count()) * dnn::size_of(static_cast<dnn::Type>(a->type))
                 : 0;
  tell_setting<std::size_t>(work, 0);
  tell_setting(reserve, static_cast<std::size_t>(AttentionMemory(*a).count()) * size);
  return CUDNN_STATUS_SUCCESS;
}

// A matrix is [heads, vectors of a head, vectors of the input], the column of all heads together.
cudnnStatus_t place_of_attention(const Call&, const Attention* a, cudnnMultiHeadAttnWeightKind_t kind, size_t size,
                                 const void* weights, Tensor* of_part, void** part) {
  if (!are_live(a) || !are_live(of_part) || !a->is_set() || !weights || !part)
    return bad("a descriptor is none, or not set");
  if (kind > CUDNN_MH_ATTN_O_BIASES) return bad("no such weights");
  const auto shape = shape_of(*a);
  const auto width = dnn::size_of(static_cast<dnn::Type>(a->type));
  if (size < static_cast<std::size_t>(shape.weight_count()) * width) return bad("the weights have no room");
  const bool is_bias = kind >= CUDNN_MH_ATTN_Q_BIASES;
  const int side = static_cast<int>(kind) - (is_bias ? static_cast<int>(CUDNN_MH_ATTN_Q_BIASES) : 0);
  const auto found = is_bias ? shape.biases(side) : shape.weights(side);
  *of_part = Tensor{};
  *part = nullptr;
  if (found.count() == 0) return CUDNN_STATUS_SUCCESS;
  const bool is_output = side == dnn::AttentionShape::output;
  const auto projected = shape.projected[side], heads = is_bias && is_output ? 1 : shape.heads;
  const auto inputs = is_bias ? 1 : is_output ? shape.of_head(dnn::AttentionShape::value) : shape.width[side];
  const dnn::Sizes sizes = {heads, projected, inputs};
  const dnn::Sizes strides = {is_output && !is_bias ? inputs * projected : projected, 1,
                              is_bias     ? 1
                              : is_output ? projected
                                          : heads * projected};
  of_part->layout = {static_cast<dnn::Type>(a->type), sizes, strides};
  *part = static_cast<char*>(const_cast<void*>(weights)) + static_cast<std::size_t>(found.offset) * width;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace nvmlkit::cudnn::functions
