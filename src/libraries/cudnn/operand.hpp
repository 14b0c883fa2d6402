// Tensors of a call, in memory of the device.
#pragma once

#include "libraries/cudnn/call.hpp"
#include "libraries/dnn/array.hpp"

namespace nvmlkit::cudnn {

// Descriptors are read in as many dimensions as the program wants; those that are not there are 0.
template <class Values>
int value_at(const Values& values, std::size_t k) {
  return k < values.size() ? static_cast<int>(values[k]) : 0;
}

inline bool is_type(cudnnDataType_t type) { return dnn::size_of(static_cast<dnn::Type>(type)) != 0; }

struct Operand {
  dnn::Layout layout;
  void* address = nullptr;

  Operand() = default;
  Operand(const Tensor* tensor, const void* at) : Operand(tensor->layout, at) {}
  Operand(const Filter* filter, const void* at) : Operand(filter->layout, at) {}
  Operand(dnn::Layout where, const void* at) : layout(std::move(where)), address(const_cast<void*>(at)) {}

  const dnn::Sizes& sizes() const { return layout.sizes; }
  bool is_double() const { return layout.type == dnn::Type::f64; }
  double bytes() const { return static_cast<double>(layout.count()) * static_cast<double>(dnn::size_of(layout.type)); }

  template <class T>
  dnn::Array<T> read(Running& running) const {
    return dnn::load<T>(layout,
                        running.read(static_cast<const void*>(address), layout.extent(), dnn::size_of(layout.type)));
  }
  template <class T>
  void write(Running& running, const dnn::Array<T>& elements, double alpha = 1, double beta = 0) const {
    dnn::store(elements, layout, running.write(address, layout.extent(), dnn::size_of(layout.type)), alpha, beta);
  }
};

// Whether the GPU multiplies floats as TF32, where a program lets it.
inline bool has_tf32(const libraries::Driver& driver) {
  return libraries::rounds_to_tf32(libraries::capability(driver));
}

// Of a layer that multiplies matrices of the type. `rounds`: floats to TF32.
constexpr libraries::Pipe pipe_of_layer(dnn::Type type, bool rounds) {
  switch (type) {
    case dnn::Type::f64:
      return host_kernels::pipe_fp64;
    case dnn::Type::f32:
      return rounds ? host_kernels::pipe_hmma : host_kernels::pipe_fp32;
    case dnn::Type::i8:
    case dnn::Type::u8:
      return host_kernels::pipe_imma;
    default:
      return host_kernels::pipe_hmma;
  }
}

// A scaling factor: double for tensors of double, else float. Without one, `otherwise`.
inline double factor(const void* at, dnn::Type type, double otherwise) {
  if (!at) return otherwise;
  return type == dnn::Type::f64 ? *static_cast<const double*>(at) : static_cast<double>(*static_cast<const float*>(at));
}
struct Factors {
  double alpha, beta;
  Factors(const void* a, const void* b, const Operand& of)
      : alpha(factor(a, of.layout.type, 1)), beta(factor(b, of.layout.type, 0)) {}
};

}  // namespace nvmlkit::cudnn
