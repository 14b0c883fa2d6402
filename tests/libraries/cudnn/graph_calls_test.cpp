// The graph interface with wrong arguments, and what its descriptors answer.
#include "graph.hpp"

namespace nvmlkit::library_test {
namespace {

TEST(GraphCalls, DescriptorsThatAreNone) {
  BackendDescriptor* made = nullptr;
  EXPECT_EQ(library().cudnnBackendCreateDescriptor(static_cast<cudnnBackendDescriptorType_t>(44), &made),
            CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED);
  EXPECT_EQ(library().cudnnBackendCreateDescriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR, nullptr),
            CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
  EXPECT_EQ(library().cudnnBackendDestroyDescriptor(nullptr), CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
  ASSERT_EQ(library().cudnnBackendCreateDescriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR, &made), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(library().cudnnBackendDestroyDescriptor(made), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(library().cudnnBackendDestroyDescriptor(made), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(library().cudnnBackendFinalize(made), CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
}

TEST(GraphCalls, AttributesAreChecked) {
  Descriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  const std::int64_t sizes[] = {2, 3, 4, 5}, strides[] = {60, 20, 5, 1}, id = 7, alignment = 16;
  const int type = CUDNN_DATA_FLOAT;
  const auto set = [&](cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t kind, std::int64_t count,
                       const void* values) {
    return library().cudnnBackendSetAttribute(tensor.raw(), name, kind, count, values);
  };
  EXPECT_EQ(tensor.finalize(), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_INT64, 1, &id), CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE);
  EXPECT_EQ(set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &id), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, nullptr), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 2, sizes), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, sizes), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &id), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(tensor.finalize(), CUDNN_STATUS_BAD_PARAM);  // no alignment yet
  EXPECT_EQ(set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment), CUDNN_STATUS_SUCCESS);
  std::int64_t count = 0, got[8] = {};
  const auto get = [&](std::int64_t requested, void* to) {
    return library().cudnnBackendGetAttribute(tensor.raw(), CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, requested,
                                              &count, to);
  };
  EXPECT_EQ(get(8, got), CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
  EXPECT_EQ(tensor.finalize(), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &alignment), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(get(0, nullptr), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(count, 4);
  EXPECT_EQ(get(2, got), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(get(8, got), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(std::vector<std::int64_t>(got, got + 4), std::vector<std::int64_t>(sizes, sizes + 4));
}

TEST(GraphCalls, GraphsThatCannotRun) {
  const Sizes sizes = {2, 3};
  const Descriptor missing = tensor_of(CUDNN_DATA_FLOAT, sizes, dense(sizes), 1, true),
                   out = tensor_of(CUDNN_DATA_FLOAT, sizes, dense(sizes), 2);
  const Descriptor relu = pointwise_of(CUDNN_POINTWISE_RELU_FWD);
  Descriptor operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  operation.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, relu);
  operation.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, missing);
  operation.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, out).finished();
  const Descriptor graph = graph_of({operation.raw()});
  Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR), engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  heuristics.choice(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, CUDNN_HEUR_MODE_INSTANT);
  heuristics.descriptor(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  EXPECT_EQ(heuristics.finalize(), CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN);
  char text[200] = {};
  library().cudnnGetLastErrorString(text, sizeof text);
  EXPECT_NE(std::string(text).find("virtual tensor"), std::string::npos) << text;
  engine.descriptor(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph).integers(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, {3});
  EXPECT_EQ(engine.finalize(), CUDNN_STATUS_NOT_SUPPORTED);
}

TEST(GraphCalls, SizesThatDoNotFit) {
  const Descriptor a = tensor_of(CUDNN_DATA_FLOAT, {1, 4, 5}, {20, 5, 1}, 1),
                   b = tensor_of(CUDNN_DATA_FLOAT, {1, 6, 7}, {42, 7, 1}, 2),
                   c = tensor_of(CUDNN_DATA_FLOAT, {1, 4, 7}, {28, 7, 1}, 3);
  Descriptor how(CUDNN_BACKEND_MATMUL_DESCRIPTOR), operation(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  how.choice(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT).finished();
  operation.descriptor(CUDNN_ATTR_OPERATION_MATMUL_DESC, how).descriptor(CUDNN_ATTR_OPERATION_MATMUL_ADESC, a);
  operation.descriptor(CUDNN_ATTR_OPERATION_MATMUL_BDESC, b).descriptor(CUDNN_ATTR_OPERATION_MATMUL_CDESC, c);
  EXPECT_EQ(operation.finalize(), CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH);
}

TEST(GraphCalls, RunsThatCannotBe) {
  Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR), pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  EXPECT_EQ(library().cudnnBackendExecute(handle(), plan.raw(), pack.raw()), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(library().cudnnBackendExecute(nullptr, plan.raw(), pack.raw()), CUDNN_STATUS_BAD_PARAM);
  pack.integers(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, {1, 2});
  EXPECT_EQ(pack.finalize(), CUDNN_STATUS_BAD_PARAM);
}

}  // namespace
}  // namespace nvmlkit::library_test
