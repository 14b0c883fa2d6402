// A plan: what a handle stands for.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "libraries/cufft/layout.hpp"

namespace nvmlkit::cufft {

using Single = std::shared_ptr<const fft::Transform<float>>;
using Double = std::shared_ptr<const fft::Transform<double>>;

class Plan {
 public:
  const std::optional<Layout>& layout() const { return layout_; }
  void set_layout(const Layout& layout) { layout_ = layout; }

  CUstream stream = nullptr;
  long long patient = 0, threads = 0;  // properties that change no result

  // The transform, made at its first use. Null where there is no memory for it.
  Single single_transform(int sign, bool in_place) { return transform(singles_, sign, in_place); }
  Double double_transform(int sign, bool in_place) { return transform(doubles_, sign, in_place); }

 private:
  template <class Real>
  std::shared_ptr<const fft::Transform<Real>> transform(std::shared_ptr<const fft::Transform<Real>> (&made)[2][2],
                                                        int sign, bool in_place);

  std::optional<Layout> layout_;
  std::mutex mutex_;
  Single singles_[2][2];  // by sign and place
  Double doubles_[2][2];
};

// Plans by handle. They live as long as work of them in a stream.
Handle add_plan();
std::shared_ptr<Plan> find_plan(Handle handle);
bool remove_plan(Handle handle);

}  // namespace nvmlkit::cufft
