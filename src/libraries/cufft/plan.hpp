// A plan: what a handle stands for.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>

#include "libraries/cufft/callbacks.hpp"
#include "libraries/cufft/layout.hpp"
#include "libraries/cufft/stages.hpp"

namespace nvmlkit::cufft {

using Single = std::shared_ptr<const fft::Transform<float>>;
using Double = std::shared_ptr<const fft::Transform<double>>;

// Where the two sides of a run are. Callbacks put memory of ours in place of the program's.
struct Places {
  bool in_place;  // the program's two sides are one memory, by which its numbers lie
  bool is_one;    // the transform's are
};

class Plan {
 public:
  const std::optional<Layout>& layout() const { return layout_; }
  // Of a plan with several GPUs that is made; both or neither.
  const std::shared_ptr<const Gpus>& gpus() const { return gpus_; }
  const std::optional<Spread>& spread() const { return spread_; }
  std::size_t gpu_count() const { return gpus_ ? static_cast<std::size_t>(gpus_->count()) : 1; }

  void set_gpus(std::shared_ptr<const Gpus> gpus) { gpus_ = std::move(gpus); }
  // CUFFT_SUCCESS, or why the GPUs of the plan do not have this layout.
  cufftResult set_layout(const Layout& layout);

  Callbacks callbacks;
  CUstream stream = nullptr;
  long long patient = 0, threads = 0;  // properties that change no result

  // The transform, made at its first use. Null where there is no memory for it.
  Single single_transform(int sign, const Places& places, std::int64_t batch);
  Double double_transform(int sign, const Places& places, std::int64_t batch);
  // What several GPUs do for a single transform of numbers in this format.
  std::shared_ptr<const Stages> stages(cufftXtSubFormat before, int sign);

 private:
  using Key = std::tuple<int, bool, bool, std::int64_t>;  // sign, both places, batch
  template <class Real>
  using Made = std::map<Key, std::shared_ptr<const fft::Transform<Real>>>;
  template <class Real>
  std::shared_ptr<const fft::Transform<Real>> transform(Made<Real>& made, const Key& key);

  std::optional<Layout> layout_;
  std::shared_ptr<const Gpus> gpus_;
  std::optional<Spread> spread_;
  std::mutex mutex_;
  Made<float> singles_;
  Made<double> doubles_;
  std::map<std::pair<cufftXtSubFormat, int>, std::shared_ptr<const Stages>> stages_;
};

// Plans by handle. They live as long as work of them in a stream.
Handle add_plan();
std::shared_ptr<Plan> find_plan(Handle handle);
bool remove_plan(Handle handle);

}  // namespace nvmlkit::cufft
