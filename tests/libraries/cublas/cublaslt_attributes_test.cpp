// libcublasLt: algorithms and what they can do; attributes of descriptions beside those of NVIDIA's library, which
// needs no GPU for them.
#include <filesystem>

#include "cublaslt_support.hpp"

namespace nvmlkit::library_test {
namespace {

class CublasLtAlgorithms : public testing::Test {
 protected:
  void SetUp() override {
    need_context();
    ASSERT_EQ(lib.cublasLtCreate(&handle), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(lib.cublasLtMatmulAlgoInit(handle, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F,
                                         CUDA_R_16F, 0, &algorithm),
              CUBLAS_STATUS_SUCCESS);
  }
  void TearDown() override { lib.cublasLtDestroy(handle); }

  const Cublaslt& lib = lt_library();
  Handle* handle = nullptr;
  Algorithm algorithm{};
};

TEST_F(CublasLtAlgorithms, DescriptionsAreDestroyedOnce) {
  alignas(16) std::uint64_t rubbish[64] = {};
  MatrixLayout* layout = nullptr;
  ASSERT_EQ(lib.cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, 4u, 4u, 4), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasLtMatrixLayoutDestroy(layout), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasLtMatrixLayoutDestroy(layout), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(lib.cublasLtMatrixLayoutDestroy(nullptr), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasLtMatmulDescDestroy(reinterpret_cast<MatmulDescription*>(rubbish)), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(lib.cublasLtMatrixTransformDescDestroy(reinterpret_cast<TransformDescription*>(rubbish)),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(lib.cublasLtDestroy(reinterpret_cast<Handle*>(rubbish)), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(lib.cublasLtDestroy(nullptr), CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(CublasLtAlgorithms, KeepTheirConfiguration) {
  const std::int32_t splits = 4;
  const std::uint16_t cluster = CUBLASLT_CLUSTER_SHAPE_2x1x1;
  EXPECT_EQ(lib.cublasLtMatmulAlgoConfigSetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &splits, 4),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasLtMatmulAlgoConfigSetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, &cluster, 2),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasLtMatmulAlgoConfigSetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_ID, &splits, 4),
            CUBLAS_STATUS_INVALID_VALUE);
  std::int32_t kept = 0;
  std::size_t written = 0;
  EXPECT_EQ(lib.cublasLtMatmulAlgoConfigGetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &kept, 4, &written),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(kept, 4);
  EXPECT_EQ(written, 4u);
  Algorithm fresh{};
  lib.cublasLtMatmulAlgoInit(handle, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, 0,
                             &fresh);
  EXPECT_EQ(lib.cublasLtMatmulAlgoConfigGetAttribute(&fresh, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &kept, 4, nullptr),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(kept, 1);
}

// Programs make an algorithm by a number that they keep, NVIDIA's example LtDgemmPresetAlgo for one.
TEST_F(CublasLtAlgorithms, AreMadeByTheirNumber) {
  const auto make = [&](int number) {
    return lib.cublasLtMatmulAlgoInit(handle, CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F,
                                      CUDA_R_64F, number, &algorithm);
  };
  EXPECT_EQ(make(-1), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(make(1 << 20), CUBLAS_STATUS_INVALID_VALUE);
  ASSERT_EQ(make(10), CUBLAS_STATUS_SUCCESS);
  std::int32_t kept = 0;
  EXPECT_EQ(lib.cublasLtMatmulAlgoConfigGetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_ID, &kept, 4, nullptr),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(kept, 10);
}

// A program that looks for the best one asks for these lists.
TEST_F(CublasLtAlgorithms, HaveCapabilities) {
  std::uint32_t tiles[64] = {7};
  std::size_t written = 0;
  EXPECT_EQ(lib.cublasLtMatmulAlgoCapGetAttribute(&algorithm, CUBLASLT_ALGO_CAP_TILE_IDS, nullptr, 0, &written),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(written, sizeof tiles[0]);
  EXPECT_EQ(
      lib.cublasLtMatmulAlgoCapGetAttribute(&algorithm, CUBLASLT_ALGO_CAP_TILE_IDS, tiles, sizeof tiles, &written),
      CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(written, sizeof tiles[0]);
  EXPECT_EQ(tiles[0], 0u);  // CUBLASLT_MATMUL_TILE_UNDEFINED
  std::uint64_t numerics = 0;
  EXPECT_EQ(
      lib.cublasLtMatmulAlgoCapGetAttribute(&algorithm, CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS, &numerics, 8, nullptr),
      CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(numerics, 0x2u | 0x2u << 8 | 0x1u << 16);  // tensor cores, sums in float, input of half
  const Algorithm none{};
  EXPECT_EQ(lib.cublasLtMatmulAlgoCapGetAttribute(&none, CUBLASLT_ALGO_CAP_TILE_IDS, tiles, sizeof tiles, &written),
            CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(CublasLtAlgorithms, AnEmulationThatIsNotUsedHasNoBits) {
  EmulationDescription* emulation = nullptr;
  MatmulDescription* product = nullptr;
  MatrixLayout* layout = nullptr;
  const Cublaslt newer("libcublasLt.so.13");
  ASSERT_EQ(newer.cublasLtEmulationDescCreate(&emulation), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(lib.cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_64F, CUDA_R_64F), CUBLAS_STATUS_SUCCESS);
  lib.cublasLtMatrixLayoutCreate(&layout, CUDA_R_64F, 1, 1, 1);
  const OnDevice<std::int32_t> bits({99});
  const OnDevice<double> three({3}), product_of({0});
  const auto* const place = bits.data();
  newer.cublasLtEmulationDescSetAttribute(emulation, CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_BIT_COUNT_POINTER,
                                          &place, sizeof place);
  lib.cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR, &emulation, sizeof emulation);
  const double one = 1, zero = 0;
  EXPECT_EQ(lib.cublasLtMatmul(handle, product, &one, three.data(), layout, three.data(), layout, &zero,
                               product_of.data(), layout, product_of.data(), layout, nullptr, nullptr, 0, nullptr),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(driver().cuCtxSynchronize(), cuda::CUDA_SUCCESS);
  EXPECT_EQ(product_of.get()[0], 9);
  EXPECT_EQ(bits.get()[0], -1);
  lib.cublasLtMatrixLayoutDestroy(layout);
  lib.cublasLtMatmulDescDestroy(product);
  newer.cublasLtEmulationDescDestroy(emulation);
}

// Programs of CUDA 12 initialize a description in less memory.
TEST_F(CublasLtAlgorithms, ADescriptionOfAnOlderHeaderIsShort) {
  struct {
    std::uint64_t data[23];
    std::uint64_t behind;
  } held;
  std::memset(&held, 0x5a, sizeof held);
  const auto behind = held.behind;
  auto* const description = reinterpret_cast<MatmulDescription*>(&held);
  EXPECT_EQ(lib.cublasLtMatmulDescInit_internal(description, 8, CUBLAS_COMPUTE_32F, CUDA_R_32F),
            CUBLAS_STATUS_ALLOC_FAILED);
  ASSERT_EQ(lib.cublasLtMatmulDescInit_internal(description, sizeof held.data, CUBLAS_COMPUTE_32F, CUDA_R_32F),
            CUBLAS_STATUS_SUCCESS);
  const std::int32_t turned = 1;
  EXPECT_EQ(lib.cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_TRANSA, &turned, 4),
            CUBLAS_STATUS_SUCCESS);
  const void* const pointer = &turned;
  EXPECT_EQ(lib.cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR, &pointer, 8),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(held.behind, behind);
}

// Sizes, default values and statuses of each attribute.
class BesideNvidias : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(NVMLKIT_TEST_NVIDIAS_CUBLASLT))
      GTEST_SKIP() << "NVIDIA's libcublasLt is not installed";
  }
  // What a library answers for the attributes of one description, in one line each.
  template <class Get, class Set>
  static std::vector<std::string> answers(Get get, Set set, unsigned count) {
    std::vector<std::string> out;
    for (unsigned which = 0; which < count; ++which) {
      std::string line = std::to_string(which) + ":";
      for (const std::size_t size : {0, 1, 2, 4, 8, 16}) {
        unsigned char bytes[16] = {};
        std::size_t written = 99;
        const auto status = get(which, bytes, size, &written);
        line +=
            " " + std::to_string(status) + "/" + std::to_string(written) + "/" + std::to_string(bytes[0] + bytes[1]);
        line += "/" + std::to_string(set(which, bytes, size));
      }
      out.push_back(line);
    }
    return out;
  }
  template <class Description, class Which, class Make, class Destroy, class Get, class Set>
  void compare(const char* name, unsigned count, Make make, Destroy destroy, Get get, Set set) {
    SCOPED_TRACE(name);
    const auto of = [&](const Cublaslt& library) {
      Description* description = nullptr;
      EXPECT_EQ(make(library, &description), CUBLAS_STATUS_SUCCESS);
      auto found = answers(
          [&](unsigned which, void* to, std::size_t size, std::size_t* written) {
            return (library.*get)(description, static_cast<Which>(which), to, size, written);
          },
          [&](unsigned which, const void* from, std::size_t size) {
            return (library.*set)(description, static_cast<Which>(which), from, size);
          },
          count);
      EXPECT_EQ((library.*destroy)(description), CUBLAS_STATUS_SUCCESS);
      return found;
    };
    const auto ours = of(ours_), theirs = of(nvidias());
    for (unsigned which = 0; which < count; ++which) {
      const bool is_unnamed = which == kUnnamed && name == std::string("product");
      if (!is_unnamed) {
        EXPECT_EQ(ours[which], theirs[which]);
      }
    }
  }
  static const Cublaslt& nvidias() {
    static const Cublaslt the(NVMLKIT_TEST_NVIDIAS_CUBLASLT);
    return the;
  }

  static constexpr unsigned kUnnamed = 16;  // an attribute of products that no header has
  const Cublaslt ours_{"libcublasLt.so.13"};
};

TEST_F(BesideNvidias, AttributesAreTheSame) {
  compare<MatrixLayout, cublasLtMatrixLayoutAttribute_t>(
      "layout", 10, [](const Cublaslt& l, auto out) { return l.cublasLtMatrixLayoutCreate(out, CUDA_R_32F, 3, 4, 3); },
      &Cublaslt::cublasLtMatrixLayoutDestroy, &Cublaslt::cublasLtMatrixLayoutGetAttribute,
      &Cublaslt::cublasLtMatrixLayoutSetAttribute);
  compare<MatmulDescription, cublasLtMatmulDescAttributes_t>(
      "product", 40,
      [](const Cublaslt& l, auto out) { return l.cublasLtMatmulDescCreate(out, CUBLAS_COMPUTE_32F, CUDA_R_32F); },
      &Cublaslt::cublasLtMatmulDescDestroy, &Cublaslt::cublasLtMatmulDescGetAttribute,
      &Cublaslt::cublasLtMatmulDescSetAttribute);
  compare<Preference, cublasLtMatmulPreferenceAttributes_t>(
      "preference", 13, [](const Cublaslt& l, auto out) { return l.cublasLtMatmulPreferenceCreate(out); },
      &Cublaslt::cublasLtMatmulPreferenceDestroy, &Cublaslt::cublasLtMatmulPreferenceGetAttribute,
      &Cublaslt::cublasLtMatmulPreferenceSetAttribute);
  compare<TransformDescription, cublasLtMatrixTransformDescAttributes_t>(
      "transform", 6, [](const Cublaslt& l, auto out) { return l.cublasLtMatrixTransformDescCreate(out, CUDA_R_32F); },
      &Cublaslt::cublasLtMatrixTransformDescDestroy, &Cublaslt::cublasLtMatrixTransformDescGetAttribute,
      &Cublaslt::cublasLtMatrixTransformDescSetAttribute);
  compare<EmulationDescription, cublasLtEmulationDescAttributes_t>(
      "emulation", 8, [](const Cublaslt& l, auto out) { return l.cublasLtEmulationDescCreate(out); },
      &Cublaslt::cublasLtEmulationDescDestroy, &Cublaslt::cublasLtEmulationDescGetAttribute,
      &Cublaslt::cublasLtEmulationDescSetAttribute);
}

TEST_F(BesideNvidias, ConfigurationsLieAtTheSamePlaces) {
  Algorithm ours{}, theirs{};
  std::memset(static_cast<void*>(&ours), 0, sizeof ours);
  std::memset(static_cast<void*>(&theirs), 0, sizeof theirs);
  for (unsigned which = 0; which < 10; ++which)
    for (const std::size_t size : {2, 4, 8}) {
      const std::uint64_t value = which + 1;
      const auto attribute = static_cast<cublasLtMatmulAlgoConfigAttributes_t>(which);
      EXPECT_EQ(ours_.cublasLtMatmulAlgoConfigSetAttribute(&ours, attribute, &value, size),
                nvidias().cublasLtMatmulAlgoConfigSetAttribute(&theirs, attribute, &value, size))
          << which << " " << size;
    }
  EXPECT_EQ(std::memcmp(&ours, &theirs, sizeof ours), 0);
}

TEST_F(BesideNvidias, TheCacheHasTheSameSizes) {
  for (const std::size_t wanted : {0, 1, 32, 33, 100, 8192, 10000, 65534}) {
    std::size_t ours = 1, theirs = 2;
    ours_.cublasLtHeuristicsCacheSetCapacity(wanted);
    nvidias().cublasLtHeuristicsCacheSetCapacity(wanted);
    ours_.cublasLtHeuristicsCacheGetCapacity(&ours);
    nvidias().cublasLtHeuristicsCacheGetCapacity(&theirs);
    EXPECT_EQ(ours, theirs) << wanted;
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
