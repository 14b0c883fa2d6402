// Plans that become nodes of a program's CUDA graph, which is launched by itself and as a part of another one.
#include "graph.hpp"

namespace nvmlkit::library_test {
namespace {

template <class Function>
Function* driver_call(const char* name) {
  return gpu().find<Function*>(name);
}
#define CALL(name) driver_call<decltype(cuda::name)>(#name)

constexpr auto kFine = cuda::CUDA_SUCCESS;

// A graph of the program, and what runs it.
class ProgramsGraph {
 public:
  ProgramsGraph() { EXPECT_EQ(CALL(cuGraphCreate)(&graph_, 0), kFine); }
  ~ProgramsGraph() {
    if (executable_) {
      EXPECT_EQ(CALL(cuGraphExecDestroy)(executable_), kFine);
    }
    EXPECT_EQ(CALL(cuGraphDestroy)(graph_), kFine);
  }
  ProgramsGraph(const ProgramsGraph&) = delete;
  ProgramsGraph& operator=(const ProgramsGraph&) = delete;

  cuda::CUgraph get() const { return graph_; }
  std::size_t nodes() const {
    std::size_t out = 99;
    EXPECT_EQ(CALL(cuGraphGetNodes)(graph_, nullptr, &out), kFine);
    return out;
  }
  void instantiate() { EXPECT_EQ(CALL(cuGraphInstantiateWithFlags)(&executable_, graph_, 0), kFine); }
  void update() {
    cuda::CUgraphExecUpdateResultInfo info{};
    EXPECT_EQ(CALL(cuGraphExecUpdate_v2)(executable_, graph_, &info), kFine);
  }
  void launch() const {
    EXPECT_EQ(CALL(cuGraphLaunch)(executable_, nullptr), kFine);
    EXPECT_EQ(gpu().wait(), kFine);
  }

 private:
  cuda::CUgraph graph_ = nullptr;
  cuda::CUgraphExec executable_ = nullptr;
};

// y = relu(x) on two pairs of tensors.
class CudaGraphs : public testing::Test {
 protected:
  static constexpr std::int64_t kX = 1, kY = 2;
  static OnGpu tensor(const std::vector<double>& elements) {
    return {CUDNN_DATA_FLOAT, {1, 2, 3}, {6, 3, 1}, elements};
  }
  CudaGraphs()
      : of_x_(tensor_of(x_[0], kX)),
        of_y_(tensor_of(y_[0], kY)),
        relu_(pointwise_of(CUDNN_POINTWISE_RELU_FWD)),
        operation_(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR),
        plan_(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR),
        packs_{pack_of({kX, kY}, {x_[0].address(), y_[0].address()}),
               pack_of({kX, kY}, {x_[1].address(), y_[1].address()})} {
    operation_.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, relu_);
    operation_.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, of_x_);
    operation_.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, of_y_).finished();
    make_plan({operation_.raw()}, plan_);
  }
  cudnnStatus_t populate(cuda::CUgraph graph, int pair) const {
    return library().cudnnBackendPopulateCudaGraph(handle(), plan_.raw(), packs_[pair].raw(), graph);
  }
  cudnnStatus_t update(cuda::CUgraph graph, int pair) const {
    return library().cudnnBackendUpdateCudaGraph(handle(), plan_.raw(), packs_[pair].raw(), graph);
  }
  void expect(const std::vector<double>& first, const std::vector<double>& second) const {
    EXPECT_EQ(y_[0].read(), first);
    EXPECT_EQ(y_[1].read(), second);
  }

  const std::vector<double> none_ = {9, 9, 9, 9, 9, 9}, of_first_ = {1, 0, 3, 0, 5, 0}, of_second_ = {0, 2, 0, 4, 0, 6};
  const OnGpu x_[2] = {tensor({1, -2, 3, -4, 5, -6}), tensor({-1, 2, -3, 4, -5, 6})};
  const OnGpu y_[2] = {tensor(none_), tensor(none_)};
  const Descriptor of_x_, of_y_, relu_;
  Descriptor operation_, plan_;
  const Descriptor packs_[2];
};

TEST_F(CudaGraphs, RunAPlanWhenTheyAreLaunched) {
  ProgramsGraph graph;
  ASSERT_EQ(populate(graph.get(), 0), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(gpu().wait(), kFine);
  expect(none_, none_);
  EXPECT_EQ(graph.nodes(), 1u);
  graph.instantiate();
  graph.launch();
  expect(of_first_, none_);
  ASSERT_EQ(update(graph.get(), 1), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(graph.nodes(), 1u);
  graph.update();
  graph.launch();
  expect(of_first_, of_second_);
}

TEST_F(CudaGraphs, ArePartsOfOthers) {
  ProgramsGraph child, parent;
  ASSERT_EQ(populate(child.get(), 1), CUDNN_STATUS_SUCCESS);
  cuda::CUgraphNode node = nullptr;
  ASSERT_EQ(CALL(cuGraphAddChildGraphNode)(&node, parent.get(), nullptr, 0, child.get()), kFine);
  parent.instantiate();
  parent.launch();
  expect(none_, of_second_);
  // As cudnn-frontend does: the copy within the node gets the other memory.
  cuda::CUgraph within = nullptr;
  ASSERT_EQ(CALL(cuGraphChildGraphNodeGetGraph)(node, &within), kFine);
  ASSERT_EQ(update(within, 0), CUDNN_STATUS_SUCCESS);
  parent.update();
  parent.launch();
  expect(of_first_, of_second_);
}

TEST_F(CudaGraphs, AreRefusedWithoutASense) {
  ProgramsGraph graph;
  EXPECT_EQ(populate(nullptr, 0), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(update(nullptr, 0), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(library().cudnnBackendPopulateCudaGraph(handle(), packs_[0].raw(), plan_.raw(), graph.get()),
            CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(graph.nodes(), 0u);
}

}  // namespace
}  // namespace nvmlkit::library_test
