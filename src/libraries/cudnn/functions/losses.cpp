#include "libraries/cudnn/functions/losses.hpp"

#include <cmath>
#include <numeric>

#include "libraries/cudnn/operand.hpp"
#include "libraries/dnn/alignment.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

struct Loss {
  Operand x, dx;  // [frames, batch, classes]; dx without an address: no gradients
  void* costs;
  bool is_normalized;  // x are logarithms that softmax takes, else probabilities

  std::int64_t frames() const { return x.sizes()[0]; }
  std::int64_t batch() const { return x.sizes()[1]; }
  std::int64_t classes() const { return x.sizes()[2]; }
};

// Logarithms of the probabilities of one sequence.
template <class T>
std::vector<double> logs_of(const Loss& loss, const dnn::Array<T>& x, std::int64_t b, std::int64_t frames) {
  std::vector<double> out;
  for (std::int64_t t = 0; t < frames; ++t) {
    const T* const row = x.data() + (t * loss.batch() + b) * loss.classes();
    double most = row[0], sum = 0;
    for (std::int64_t k = 0; k < loss.classes(); ++k) most = std::max(most, static_cast<double>(row[k]));
    for (std::int64_t k = 0; k < loss.classes(); ++k) sum += std::exp(static_cast<double>(row[k]) - most);
    for (std::int64_t k = 0; k < loss.classes(); ++k)
      out.push_back(loss.is_normalized ? static_cast<double>(row[k]) - most - std::log(sum)
                                       : std::log(static_cast<double>(row[k])));
  }
  return out;
}

// The gradients of one sequence: with softmax those of its inputs, else those of the probabilities.
template <class T>
void put_gradients(const Loss& loss, std::int64_t b, const std::vector<double>& logs,
                   const std::vector<double>& posterior, dnn::Array<T>& out) {
  const auto classes = static_cast<std::size_t>(loss.classes());
  for (std::size_t k = 0; k < posterior.size(); ++k) {
    const auto t = static_cast<std::int64_t>(k / classes), c = static_cast<std::int64_t>(k % classes);
    const double p = std::exp(logs[k]);
    out.edit()[(t * loss.batch() + b) * loss.classes() + c] = static_cast<T>(loss.is_normalized ? p - posterior[k]
                                                                             : p > 0            ? -posterior[k] / p
                                                                                                : 0);
  }
}

template <class T>
void run_all(const Loss& loss, const std::vector<dnn::Alignment>& sequences, Running& running) {
  const auto x = loss.x.read<T>(running);
  dnn::Array<T> gradients(x.sizes()), costs({loss.batch()});
  for (std::int64_t b = 0; b < loss.batch(); ++b) {
    const auto& a = sequences[static_cast<std::size_t>(b)];
    const auto logs = logs_of(loss, x, b, a.frames);
    std::vector<double> posterior;
    const double cost = dnn::cost_of(a, logs, loss.classes(), loss.dx.address ? &posterior : nullptr);
    // Labels that cannot be have neither cost nor gradients.
    costs.edit()[b] = static_cast<T>(std::isinf(cost) ? 0 : cost);
    if (loss.dx.address && !std::isinf(cost)) put_gradients(loss, b, logs, posterior, gradients);
  }
  Operand({loss.x.layout.type, {loss.batch()}, {1}}, loss.costs).write(running, costs);
  if (loss.dx.address) loss.dx.write(running, gradients);
}

cudnnStatus_t make_loss(const CtcLoss* c, const Tensor* of_x, const void* x, void* costs, const Tensor* of_dx, void* dx,
                        Loss& out) {
  if (!are_live(c) || !are_live(of_x) || !of_x->is_set() || of_x->layout.sizes.size() != 3)
    return bad("a descriptor is none, or has not 3 dimensions");
  if (dx && (!are_live(of_dx) || of_dx->layout.sizes != of_x->layout.sizes)) return bad("the sizes of the gradients");
  if (!x || !costs) return bad("no memory of a tensor");
  if (of_x->layout.type != dnn::Type::f32 && of_x->layout.type != dnn::Type::f64)
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, "the type of the elements");
  out = {{of_x, x}, dx ? Operand(of_dx, dx) : Operand(), costs, c->normalization == CUDNN_LOSS_NORMALIZATION_SOFTMAX};
  return CUDNN_STATUS_SUCCESS;
}

// Nothing, where a length or a label cannot be.
std::optional<std::vector<dnn::Alignment>> alignments_of(const Loss& loss, const int* labels, const int* label_lengths,
                                                         const int* lengths) {
  std::vector<dnn::Alignment> out;
  for (std::int64_t b = 0; b < loss.batch(); ++b) {
    if (label_lengths[b] < 0 || lengths[b] < 0 || lengths[b] > loss.frames()) return {};
    out.push_back({lengths[b], std::vector<int>(labels, labels + label_lengths[b])});
    for (const int label : out.back().labels)
      if (label < 0 || label >= loss.classes()) return {};
    labels += label_lengths[b];
  }
  return out;
}

Cost cost_of_loss(const Loss& loss) {
  return {.operations = 20.0 * static_cast<double>(loss.x.layout.count()), .bytes = 2 * loss.x.bytes()};
}

template <class T>
void share(T* out, T value) {
  if (out) *out = value;
}

}  // namespace

cudnnStatus_t set_loss(CtcLoss* c, cudnnDataType_t type) {
  return set_loss_9(c, type, CUDNN_LOSS_NORMALIZATION_NONE, CUDNN_CTC_ZERO_OOB_GRADIENTS, 0);
}
cudnnStatus_t set_loss_ex(CtcLoss* c, cudnnDataType_t type, cudnnLossNormalizationMode_t normalization,
                          cudnnNanPropagation_t nan) {
  return set_loss_8(c, type, normalization, nan, 0);
}
cudnnStatus_t set_loss_8(CtcLoss* c, cudnnDataType_t type, cudnnLossNormalizationMode_t normalization,
                         cudnnNanPropagation_t nan, int longest) {
  const auto gradients = nan == CUDNN_PROPAGATE_NAN ? CUDNN_CTC_SKIP_OOB_GRADIENTS : CUDNN_CTC_ZERO_OOB_GRADIENTS;
  const auto status = set_loss_9(c, type, normalization, gradients, longest);
  if (status == CUDNN_STATUS_SUCCESS) c->nan = nan;
  return status;
}
cudnnStatus_t set_loss_9(CtcLoss* c, cudnnDataType_t type, cudnnLossNormalizationMode_t normalization,
                         cudnnCTCGradMode_t gradients, int longest) {
  if (!are_live(c)) return bad("the descriptor is none");
  if (type != CUDNN_DATA_FLOAT && type != CUDNN_DATA_DOUBLE)
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, "sums of another type than float and double");
  *c = {type, normalization, CUDNN_NOT_PROPAGATE_NAN, gradients, longest};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t get_loss(CtcLoss* c, cudnnDataType_t* type) { return get_loss_9(c, type, nullptr, nullptr, nullptr); }
cudnnStatus_t get_loss_ex(CtcLoss* c, cudnnDataType_t* type, cudnnLossNormalizationMode_t* normalization,
                          cudnnNanPropagation_t* nan) {
  return get_loss_8(c, type, normalization, nan, nullptr);
}
cudnnStatus_t get_loss_8(CtcLoss* c, cudnnDataType_t* type, cudnnLossNormalizationMode_t* normalization,
                         cudnnNanPropagation_t* nan, int* longest) {
  const auto status = get_loss_9(c, type, normalization, nullptr, longest);
  if (status == CUDNN_STATUS_SUCCESS) share(nan, c->nan);
  return status;
}
cudnnStatus_t get_loss_9(CtcLoss* c, cudnnDataType_t* type, cudnnLossNormalizationMode_t* normalization,
                         cudnnCTCGradMode_t* gradients, int* longest) {
  if (!are_live(c)) return bad("the descriptor is none");
  share(type, c->type), share(normalization, c->normalization);
  share(gradients, c->gradients), share(longest, c->longest_label);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t run_loss(const Call& call, const Tensor* of_x, const void* x, const int* labels, const int* label_lengths,
                       const int* lengths, void* costs, const Tensor* of_dx, void* dx, cudnnCTCLossAlgo_t, CtcLoss* c,
                       void*, size_t) {
  Loss loss;
  if (const auto status = make_loss(c, of_x, x, costs, of_dx, dx, loss); status != CUDNN_STATUS_SUCCESS) return status;
  if (!labels || !label_lengths || !lengths) return bad("no labels or lengths");
  const auto sequences = alignments_of(loss, labels, label_lengths, lengths);
  if (!sequences) return bad("a length or a label that cannot be");
  return call.compute(loss.x.is_double(), cost_of_loss(loss),
                      [=](auto number, Running& running) { run_all<decltype(number)>(loss, *sequences, running); });
}

cudnnStatus_t run_loss_8(const Call& call, cudnnCTCLossAlgo_t, CtcLoss* c, const Tensor* of_x, const void* x,
                         const int* labels, const int* label_lengths, const int* lengths, void* costs,
                         const Tensor* of_dx, void* dx, size_t, void*) {
  Loss loss;
  if (const auto status = make_loss(c, of_x, x, costs, of_dx, dx, loss); status != CUDNN_STATUS_SUCCESS) return status;
  if (!labels || !label_lengths || !lengths) return bad("no labels or lengths");
  return call.compute(loss.x.is_double(), cost_of_loss(loss), [=](auto number, Running& running) {
    const int* const counts = running.read(label_lengths, loss.batch());
    const auto total = std::accumulate(counts, counts + loss.batch(), std::int64_t{0});
    const auto sequences =
        alignments_of(loss, running.read(labels, total), counts, running.read(lengths, loss.batch()));
    if (sequences) run_all<decltype(number)>(loss, *sequences, running);
  });
}

// No memory is needed besides that of the tensors.
cudnnStatus_t size_of_loss(const Call& call, const Tensor* of_x, const Tensor* of_dx, const int* labels,
                           const int* label_lengths, const int* lengths, cudnnCTCLossAlgo_t algo, CtcLoss* c,
                           size_t* out) {
  if (!labels || !label_lengths || !lengths) return bad("no labels or lengths");
  return size_of_loss_8(call, algo, c, of_x, of_dx, out);
}
cudnnStatus_t size_of_loss_8(const Call&, cudnnCTCLossAlgo_t, CtcLoss* c, const Tensor* of_x, const Tensor*,
                             size_t* out) {
  if (!are_live(c) || !are_live(of_x) || !of_x->is_set() || !out) return bad("a descriptor is none, or not set");
  *out = 0;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace nvmlkit::cudnn::functions
