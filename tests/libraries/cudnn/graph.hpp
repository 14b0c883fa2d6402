// Descriptors of the graph interface, as cudnn-frontend makes them.
#pragma once

#include "library.hpp"

namespace nvmlkit::library_test {

class Descriptor {
 public:
  explicit Descriptor(cudnnBackendDescriptorType_t kind) {
    EXPECT_EQ(library().cudnnBackendCreateDescriptor(kind, &raw_), CUDNN_STATUS_SUCCESS);
  }
  ~Descriptor() {
    if (raw_) library().cudnnBackendDestroyDescriptor(raw_);
  }
  Descriptor(Descriptor&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Descriptor& operator=(Descriptor&&) = delete;

  BackendDescriptor* raw() const { return raw_; }
  template <class T>
  Descriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const std::vector<T>& values) {
    EXPECT_EQ(
        library().cudnnBackendSetAttribute(raw_, name, type, static_cast<std::int64_t>(values.size()), values.data()),
        CUDNN_STATUS_SUCCESS)
        << name;
    return *this;
  }
  Descriptor& integers(cudnnBackendAttributeName_t name, const Sizes& values) {
    return set(name, CUDNN_TYPE_INT64, values);
  }
  Descriptor& number(cudnnBackendAttributeName_t name, double value) {
    return set(name, CUDNN_TYPE_DOUBLE, std::vector<double>{value});
  }
  Descriptor& choice(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int value) {
    return set(name, type, std::vector<int>{value});
  }
  Descriptor& descriptor(cudnnBackendAttributeName_t name, const Descriptor& value) {
    return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, std::vector<BackendDescriptor*>{value.raw()});
  }
  cudnnStatus_t finalize() { return library().cudnnBackendFinalize(raw_); }
  Descriptor& finished() {
    EXPECT_EQ(finalize(), CUDNN_STATUS_SUCCESS);
    return *this;
  }

 private:
  BackendDescriptor* raw_ = nullptr;
};

inline Descriptor tensor_of(cudnnDataType_t type, const Sizes& sizes, const Sizes& strides, std::int64_t id,
                            bool is_virtual = false) {
  Descriptor out(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  out.choice(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type);
  out.integers(CUDNN_ATTR_TENSOR_DIMENSIONS, sizes).integers(CUDNN_ATTR_TENSOR_STRIDES, strides);
  out.integers(CUDNN_ATTR_TENSOR_UNIQUE_ID, {id}).integers(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, {16});
  const bool flag[] = {is_virtual};
  EXPECT_EQ(library().cudnnBackendSetAttribute(out.raw(), CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, flag),
            CUDNN_STATUS_SUCCESS);
  out.finished();
  return out;
}
inline Descriptor tensor_of(const OnGpu& tensor, std::int64_t id) {
  return tensor_of(tensor.type(), tensor.sizes(), tensor.strides(), id);
}

inline Descriptor pointwise_of(cudnnPointwiseMode_t mode) {
  Descriptor out(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  out.choice(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode);
  out.choice(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT).finished();
  return out;
}

inline Descriptor graph_of(const std::vector<BackendDescriptor*>& operations) {
  Descriptor out(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  out.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, operations);
  out.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, std::vector<Handle*>{handle()}).finished();
  return out;
}

inline bool uses_tensor_cores(const Descriptor& config) {
  Descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  BackendDescriptor* results[] = {engine.raw()};
  std::int64_t count = 0;
  EXPECT_EQ(library().cudnnBackendGetAttribute(config.raw(), CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                               1, &count, results),
            CUDNN_STATUS_SUCCESS);
  int notes[8] = {};
  EXPECT_EQ(library().cudnnBackendGetAttribute(engine.raw(), CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                               CUDNN_TYPE_NUMERICAL_NOTE, 8, &count, notes),
            CUDNN_STATUS_SUCCESS);
  return std::find(notes, notes + count, CUDNN_NUMERICAL_NOTE_TENSOR_CORE) != notes + count;
}

enum class Tf32 { forbidden, allowed };

inline Descriptor pack_of(const Sizes& ids, const std::vector<void*>& pointers) {
  Descriptor out(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  out.integers(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
  out.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, pointers).finished();
  return out;
}

// The heuristics are asked for configurations, a plan is made of the first one that is allowed.
inline void make_plan(const std::vector<BackendDescriptor*>& operations, Descriptor& plan,
                      Tf32 tf32 = Tf32::forbidden) {
  const Descriptor graph = graph_of(operations);
  Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  Descriptor configs[2] = {Descriptor(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR),
                           Descriptor(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR)};
  heuristics.choice(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, CUDNN_HEUR_MODE_A);
  heuristics.descriptor(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph).finished();
  std::int64_t count = 0;
  BackendDescriptor* results[] = {configs[0].raw(), configs[1].raw()};
  ASSERT_EQ(library().cudnnBackendGetAttribute(heuristics.raw(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                               CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, nullptr),
            CUDNN_STATUS_SUCCESS);
  ASSERT_GE(count, 1);
  ASSERT_LE(count, 2);
  ASSERT_EQ(library().cudnnBackendGetAttribute(heuristics.raw(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                               CUDNN_TYPE_BACKEND_DESCRIPTOR, 2, &count, results),
            CUDNN_STATUS_SUCCESS);
  // Where there are two, the first one rounds.
  if (count == 2) {
    EXPECT_TRUE(uses_tensor_cores(configs[0]));
    EXPECT_FALSE(uses_tensor_cores(configs[1]));
  }
  if (tf32 == Tf32::allowed) {
    ASSERT_EQ(count, 2);
  }
  const Descriptor& config = configs[count == 2 && tf32 == Tf32::forbidden ? 1 : 0];
  plan.descriptor(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config).finished();
}

inline void run_graph(const std::vector<BackendDescriptor*>& operations, const Sizes& ids,
                      const std::vector<void*>& pointers, Tf32 tf32 = Tf32::forbidden) {
  Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  make_plan(operations, plan, tf32);
  const Descriptor pack = pack_of(ids, pointers);
  ASSERT_EQ(library().cudnnBackendExecute(handle(), plan.raw(), pack.raw()), CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(gpu().wait(), cuda::CUDA_SUCCESS);
}

}  // namespace nvmlkit::library_test
