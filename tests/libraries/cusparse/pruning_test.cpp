// Numbers above a threshold or a share, of dense and of sparse matrices.
#include "formats.hpp"

namespace nvmlkit::library_test {
namespace {

template <class T>
struct Pruning : testing::Test {};
using Prunable = testing::Types<float, double, blas::Half>;
TYPED_TEST_SUITE(Pruning, Prunable);

#define NVMLKIT_PRUNE(name)                       \
  template <class T>                              \
  auto name() {                                   \
    if constexpr (std::is_same_v<T, float>)       \
      return library().cusparseS##name;           \
    else if constexpr (std::is_same_v<T, double>) \
      return library().cusparseD##name;           \
    else                                          \
      return library().cusparseH##name;           \
  }
NVMLKIT_PRUNE(pruneDense2csr_bufferSizeExt)
NVMLKIT_PRUNE(pruneDense2csrNnz)
NVMLKIT_PRUNE(pruneDense2csr)
NVMLKIT_PRUNE(pruneCsr2csr_bufferSizeExt)
NVMLKIT_PRUNE(pruneCsr2csrNnz)
NVMLKIT_PRUNE(pruneCsr2csr)
NVMLKIT_PRUNE(pruneDense2csrByPercentage_bufferSizeExt)
NVMLKIT_PRUNE(pruneDense2csrNnzByPercentage)
NVMLKIT_PRUNE(pruneDense2csrByPercentage)
NVMLKIT_PRUNE(pruneCsr2csrByPercentage_bufferSizeExt)
NVMLKIT_PRUNE(pruneCsr2csrNnzByPercentage)
NVMLKIT_PRUNE(pruneCsr2csrByPercentage)

// As T has them: reals of 16 bits, too.
template <class T>
Numbers real_numbers(Random& random, int m, int n, int percent) {
  Numbers out(m, n);
  for (Number& x : out.numbers)
    if (random.below(100) < percent) x = wide(number_as<T>(random.number()));
  return out;
}
// The documented threshold of a share: of all numbers, or of those of the sparse matrix.
double threshold_of(const Numbers& a, bool is_dense, float percentage) {
  std::vector<double> sizes;
  for (const Number& x : a.numbers)
    if (is_dense || x != Number()) sizes.push_back(std::abs(x));
  if (sizes.empty()) return 0;
  std::sort(sizes.begin(), sizes.end());
  const auto count = static_cast<double>(sizes.size());
  const auto place = std::ceil(count * (static_cast<double>(percentage) / 100)) - 1;
  return sizes[static_cast<std::size_t>(std::max(0.0, std::min(place, count - 1)))];
}

template <class T>
class Pruned {
 public:
  Pruned(const Numbers& a, bool is_dense, int base, int out_base)
      : m_(a.rows),
        n_(a.columns),
        is_dense_(is_dense),
        out_base_(out_base),
        from_(base),
        to_(out_base),
        dense_(a, CUSPARSE_ORDER_COL, 2),
        sparse_(a, form_of(base)),
        offsets_(std::vector<int>(static_cast<std::size_t>(m_ + 1), -1)) {
    EXPECT_EQ(library().cusparseCreatePruneInfo(&info_), kFine);
  }
  Pruned(const Pruned&) = delete;
  ~Pruned() { EXPECT_EQ(library().cusparseDestroyPruneInfo(info_), kFine); }

  Numbers by_threshold(T threshold) {
    int total = -1;
    std::size_t size = 0;
    EXPECT_EQ(is_dense_
                  ? pruneDense2csr_bufferSizeExt<T>()(sparse(), m_, n_, dense_.data(), dense_.leading(), &threshold,
                                                      to_, nullptr, offsets_.as(), nullptr, &size)
                  : pruneCsr2csr_bufferSizeExt<T>()(sparse(), m_, n_, sparse_.count(), from_, values(), offsets(),
                                                    indices(), &threshold, to_, nullptr, offsets_.as(), nullptr, &size),
              kFine);
    EXPECT_EQ(is_dense_ ? pruneDense2csrNnz<T>()(sparse(), m_, n_, dense_.data(), dense_.leading(), &threshold, to_,
                                                 offsets_.as(), &total, nullptr)
                        : pruneCsr2csrNnz<T>()(sparse(), m_, n_, sparse_.count(), from_, values(), offsets(), indices(),
                                               &threshold, to_, offsets_.as(), &total, nullptr),
              kFine);
    return taken(total, [&](T* to, int* columns) {
      return is_dense_ ? pruneDense2csr<T>()(sparse(), m_, n_, dense_.data(), dense_.leading(), &threshold, to_, to,
                                             offsets_.as(), columns, nullptr)
                       : pruneCsr2csr<T>()(sparse(), m_, n_, sparse_.count(), from_, values(), offsets(), indices(),
                                           &threshold, to_, to, offsets_.as(), columns, nullptr);
    });
  }
  Numbers by_share(float share) {
    int total = -1;
    std::size_t size = 0;
    EXPECT_EQ(is_dense_ ? pruneDense2csrByPercentage_bufferSizeExt<T>()(sparse(), m_, n_, dense_.data(),
                                                                        dense_.leading(), share, to_, nullptr,
                                                                        offsets_.as(), nullptr, info_, &size)
                        : pruneCsr2csrByPercentage_bufferSizeExt<T>()(sparse(), m_, n_, sparse_.count(), from_,
                                                                      values(), offsets(), indices(), share, to_,
                                                                      nullptr, offsets_.as(), nullptr, info_, &size),
              kFine);
    EXPECT_EQ(is_dense_
                  ? pruneDense2csrNnzByPercentage<T>()(sparse(), m_, n_, dense_.data(), dense_.leading(), share, to_,
                                                       offsets_.as(), &total, info_, nullptr)
                  : pruneCsr2csrNnzByPercentage<T>()(sparse(), m_, n_, sparse_.count(), from_, values(), offsets(),
                                                     indices(), share, to_, offsets_.as(), &total, info_, nullptr),
              kFine);
    return taken(total, [&](T* to, int* columns) {
      return is_dense_
                 ? pruneDense2csrByPercentage<T>()(sparse(), m_, n_, dense_.data(), dense_.leading(), share, to_, to,
                                                   offsets_.as(), columns, info_, nullptr)
                 : pruneCsr2csrByPercentage<T>()(sparse(), m_, n_, sparse_.count(), from_, values(), offsets(),
                                                 indices(), share, to_, to, offsets_.as(), columns, info_, nullptr);
    });
  }

 private:
  static Form form_of(int base) {
    Form out;
    out.base = base;
    return out;
  }
  const T* values() const { return sparse_.values.as(); }
  const int* offsets() const { return sparse_.offsets.template as<int>(); }
  const int* indices() const { return sparse_.indices.template as<int>(); }

  template <class Take>
  Numbers taken(int total, Take take) {
    EXPECT_GE(total, 0);
    const OnDevice<T> numbers(std::vector<T>(static_cast<std::size_t>(total + 1)));
    const OnDevice<int> places(std::vector<int>(static_cast<std::size_t>(total + 1), -1));
    EXPECT_EQ(take(numbers.as(), places.as()), kFine);
    const auto begins = offsets_.read(), columns = places.read();
    const auto all = numbers.read();
    Numbers out(m_, n_);
    EXPECT_EQ(begins.front(), out_base_);
    EXPECT_EQ(begins.back() - out_base_, total);
    for (int i = 0; i < m_; ++i)
      for (auto k = static_cast<std::size_t>(begins[static_cast<std::size_t>(i)] - out_base_);
           k < static_cast<std::size_t>(begins[static_cast<std::size_t>(i) + 1] - out_base_); ++k)
        out(i, columns[k] - out_base_) = wide(all[k]);
    return out;
  }

  int m_, n_;
  bool is_dense_;
  int out_base_;
  Options from_, to_;
  OnDeviceDense<T> dense_;
  OnDeviceSparse<T> sparse_;
  OnDevice<int> offsets_;
  PruneInfo* info_ = nullptr;
};

TYPED_TEST(Pruning, AgainstAPlainCopy) {
  using T = TypeParam;
  Random random(21);
  for (int round = 0; round < 24; ++round) {
    const int m = random.below(9), n = random.below(9);
    const auto a = real_numbers<T>(random, m, n, 60);
    const bool is_dense = random.below(2);
    Pruned<T> pruned(a, is_dense, random.below(2), random.below(2));
    const auto above = [&](double threshold) {
      return a.only([&](int i, int j) { return std::abs(a(i, j)) > threshold; });
    };
    const T threshold = number_as<T>(0.5 * (random.number() + 1));
    EXPECT_LE(distance(pruned.by_threshold(threshold), above(wide(threshold).real())), 0) << "round " << round;
    const auto share = static_cast<float>(round % 3 == 0 ? 50 * random.below(3) : random.below(101));
    EXPECT_LE(distance(pruned.by_share(share), above(threshold_of(a, is_dense, share))), 0)
        << "round " << round << " " << share << " %";
  }
}

TEST(PruningCalls, WrongArguments) {
  const OnDevice<float> a(std::vector<float>(12, 1));
  const OnDevice<int> offsets(std::vector<int>(4));
  const Options options;
  PruneInfo* info = nullptr;
  ASSERT_EQ(library().cusparseCreatePruneInfo(&info), kFine);
  const float threshold = 0.5f;
  int total = 0;
  const auto count = [&](Handle* h, int m, int lda, const float* limit, const MatrixOptions* o, int* out) {
    return library().cusparseSpruneDense2csrNnz(h, m, 4, a.as(), lda, limit, o, offsets.as(), out, nullptr);
  };
  EXPECT_EQ(count(sparse(), 3, 3, &threshold, options, &total), kFine);
  EXPECT_EQ(total, 12);
  EXPECT_EQ(count(nullptr, 3, 3, &threshold, options, &total), CUSPARSE_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(count(sparse(), -1, 3, &threshold, options, &total), kWrong);
  EXPECT_EQ(count(sparse(), 3, 2, &threshold, options, &total), kWrong);
  EXPECT_EQ(count(sparse(), 3, 3, nullptr, options, &total), kWrong);
  EXPECT_EQ(count(sparse(), 3, 3, &threshold, nullptr, &total), kWrong);
  EXPECT_EQ(count(sparse(), 3, 3, &threshold, options, nullptr), kWrong);
  const auto share = [&](float percentage, PruneInfo* i) {
    return library().cusparseSpruneDense2csrNnzByPercentage(sparse(), 3, 4, a.as(), 3, percentage, options,
                                                            offsets.as(), &total, i, nullptr);
  };
  EXPECT_EQ(share(50, info), kFine);
  EXPECT_EQ(total, 0);  // all numbers are the same
  EXPECT_EQ(share(-1, info), kWrong);
  EXPECT_EQ(share(101, info), kWrong);
  EXPECT_EQ(share(50, nullptr), kWrong);
  EXPECT_EQ(library().cusparseDestroyPruneInfo(info), kFine);
}

}  // namespace
}  // namespace nvmlkit::library_test
