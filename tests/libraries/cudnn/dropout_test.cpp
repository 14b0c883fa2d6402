// Dropout.
#include "descriptors.hpp"

namespace nvmlkit::library_test {
namespace {

// Each element that is kept is larger; the same elements are dropped on the way back.
TEST(Dropout, KeepsSomeAndScalesThem) {
  auto& l = library();
  const Owned<Dropout> dropout(l.cudnnCreateDropoutDescriptor, l.cudnnDestroyDropoutDescriptor);
  std::size_t size = 0, mask_size = 0;
  ASSERT_EQ(l.cudnnDropoutGetStatesSize(handle(), &size), CUDNN_STATUS_SUCCESS);
  const OnDevice<unsigned char> states{std::vector<unsigned char>(size)};
  ASSERT_EQ(l.cudnnSetDropoutDescriptor(dropout.get(), handle(), 0.25F, states.as<void>(), size, 42),
            CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(l.cudnnSetDropoutDescriptor(dropout.get(), handle(), 1.5F, states.as<void>(), size, 42),
            CUDNN_STATUS_BAD_PARAM);
  const Sizes sizes = {100, 100};
  const TensorOf of_x(CUDNN_DATA_FLOAT, sizes, dense(sizes));
  ASSERT_EQ(l.cudnnDropoutGetReserveSpaceSize(of_x.get(), &mask_size), CUDNN_STATUS_SUCCESS);
  const OnDevice<unsigned char> mask{std::vector<unsigned char>(mask_size)};
  const OnDevice<float> x{std::vector<float>(10000, 3.0F)}, y{std::vector<float>(10000)},
      back{std::vector<float>(10000)};
  std::vector<float> first;
  for (int turn = 0; turn < 2; ++turn) {
    ASSERT_EQ(l.cudnnDropoutForward(handle(), dropout.get(), of_x.get(), x.as<void>(), of_x.get(), y.as<void>(),
                                    mask.as<void>(), mask_size),
              CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(l.cudnnDropoutBackward(handle(), dropout.get(), of_x.get(), x.as<void>(), of_x.get(), back.as<void>(),
                                     mask.as<void>(), mask_size),
              CUDNN_STATUS_SUCCESS);
    wait();
    const auto got = y.read();
    EXPECT_EQ(got, back.read());
    const auto kept = std::count(got.begin(), got.end(), 4.0F);
    EXPECT_EQ(kept + std::count(got.begin(), got.end(), 0.0F), 10000);
    EXPECT_NEAR(static_cast<double>(kept), 7500, 250);
    EXPECT_NE(got, first);
    first = got;
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
