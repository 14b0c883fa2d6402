// Fused operations, as a program sets them up.
#pragma once

#include "descriptors.hpp"

namespace nvmlkit::library_test {

// A plan with both of its packs.
class Fused {
 public:
  explicit Fused(cudnnFusedOps_t ops) {
    EXPECT_EQ(library().cudnnCreateFusedOpsConstParamPack(&constants_, ops), CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(library().cudnnCreateFusedOpsVariantParamPack(&variants_, ops), CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(library().cudnnCreateFusedOpsPlan(&plan_, ops), CUDNN_STATUS_SUCCESS);
  }
  ~Fused() {
    EXPECT_EQ(library().cudnnDestroyFusedOpsConstParamPack(constants_), CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(library().cudnnDestroyFusedOpsVariantParamPack(variants_), CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(library().cudnnDestroyFusedOpsPlan(plan_), CUDNN_STATUS_SUCCESS);
  }
  Fused(const Fused&) = delete;
  Fused& operator=(const Fused&) = delete;

  template <class T>
  void set(cudnnFusedOpsConstParamLabel_t label, const Owned<T>& descriptor) const {
    EXPECT_EQ(library().cudnnSetFusedOpsConstParamPackAttribute(constants_, label, descriptor.get()),
              CUDNN_STATUS_SUCCESS);
  }
  void set(cudnnFusedOpsConstParamLabel_t label, int number) const {
    EXPECT_EQ(library().cudnnSetFusedOpsConstParamPackAttribute(constants_, label, &number), CUDNN_STATUS_SUCCESS);
  }
  void point(cudnnFusedOpsVariantParamLabel_t label, void* at) const {
    EXPECT_EQ(library().cudnnSetFusedOpsVariantParamPackAttribute(variants_, label, at), CUDNN_STATUS_SUCCESS);
  }
  // A placeholder, and the pointer that it promises.
  void set(cudnnFusedOpsConstParamLabel_t placeholder, cudnnFusedOpsVariantParamLabel_t label, const OnGpu& at) const {
    set(placeholder, CUDNN_PTR_ELEM_ALIGNED);
    point(label, at.address());
  }
  cudnnStatus_t make() const {
    std::size_t size = 99;
    const auto status = library().cudnnMakeFusedOpsPlan(handle(), plan_, constants_, &size);
    EXPECT_EQ(size, status == CUDNN_STATUS_SUCCESS ? 0u : 99u);
    return status;
  }
  cudnnStatus_t run() const {
    const auto status = library().cudnnFusedOpsExecute(handle(), plan_, variants_);
    wait();
    return status;
  }

  FusedConstants* constants() const { return constants_; }
  FusedVariants* variants() const { return variants_; }
  FusedPlan* plan() const { return plan_; }

 private:
  FusedConstants* constants_ = nullptr;
  FusedVariants* variants_ = nullptr;
  FusedPlan* plan_ = nullptr;
};

}  // namespace nvmlkit::library_test
