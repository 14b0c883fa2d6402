// Tensors of a graph while it runs.
#pragma once

#include "libraries/cudnn/graph/program.hpp"
#include "libraries/cudnn/operand.hpp"
#include "libraries/dnn/convolution.hpp"

namespace nvmlkit::cudnn::graph {

template <class T>
class Tables {
 public:
  // `rounds`: products and convolutions round floats to TF32.
  Tables(const Bindings& bindings, Running& running, bool rounds)
      : bindings_(bindings), running_(running), rounds_(rounds) {}

  bool rounds() const { return rounds_; }

  const dnn::Array<T>& read(const TensorView& view) {
    if (const auto made = made_.find(view.id); made != made_.end()) return made->second;
    return made_.emplace(view.id, load(view)).first->second;
  }
  const dnn::Array<T>* read(const TensorView* view) { return view ? &read(*view) : nullptr; }
  // Of a tensor with one element.
  double number(const TensorView* view, double otherwise) {
    return view ? static_cast<double>(read(*view)[0]) : otherwise;
  }
  // The bits of one element of 64 or 32 bits.
  std::uint64_t bits(const TensorView* view) {
    if (!view) return 0;
    const auto& binding = bindings_.at(view->id);
    const std::size_t size = std::min<std::size_t>(dnn::size_of(view->layout.type), 8);
    const void* const from =
        view->is_by_value ? binding.value.data() : running_.read(static_cast<const void*>(binding.address), 1, size);
    std::uint64_t out = 0;
    std::memcpy(&out, from, size);
    return out;
  }

  void write(const TensorView& view, dnn::Array<T> elements, double alpha = 1, double beta = 0) {
    if (!view.is_virtual) {
      Operand(view.layout, bindings_.at(view.id).address).write(running_, elements, alpha, beta);
    } else if (alpha != 1) {
      for (std::int64_t k = 0; k < elements.count(); ++k) elements.edit()[k] *= static_cast<T>(alpha);
    }
    if (view.is_virtual || (alpha == 1 && beta == 0)) made_.insert_or_assign(view.id, std::move(elements));
  }
  dnn::Tick tick() {
    return [this] { running_.tick(); };
  }

 private:
  dnn::Array<T> load(const TensorView& view) {
    const auto& binding = bindings_.at(view.id);
    if (view.is_by_value) return dnn::load<T>(view.layout, binding.value.data());
    return Operand(view.layout, binding.address).read<T>(running_);
  }

  const Bindings& bindings_;
  Running& running_;
  bool rounds_;
  std::map<std::int64_t, dnn::Array<T>> made_;
};

}  // namespace nvmlkit::cudnn::graph
