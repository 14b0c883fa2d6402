// How the numbers of one plan lie on several GPUs.
//
// Several transforms: each GPU has whole ones. A single one is divided: in natural order by its first dimension (x),
// shuffled by its second one (y). A line has one dimension only, and its results lie in strings.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "libraries/cufft/layout.hpp"

namespace nvmlkit::cufft {

// The numbers of one GPU, one behind the other, and where they are in the whole: three loops, the last one the fastest.
struct Part {
  struct Loop {
    std::int64_t count = 1, step = 0, in_whole = 0;
  };
  std::int64_t first = 0;  // of the whole
  std::array<Loop, 3> loops;

  std::int64_t count() const { return loops[0].count * loops[1].count * loops[2].count; }
};

// One of the shares that `gpus` GPUs have of something: the first ones have one more than the others.
struct Share {
  std::int64_t first, count;
  static Share of(std::int64_t whole, int gpus, int gpu);
};

// A line of factor1 * factor2 numbers: factor2 transforms of factor1 numbers, then factor1 of factor2.
struct Factors {
  std::int64_t factor1 = 1, factor2 = 1, strings = 1;

  std::int64_t size() const { return factor1 * factor2; }
  std::int64_t string() const { return size() / strings; }
  std::int64_t substring() const { return string() / factor2; }
};

class Spread {
 public:
  enum class Kind : std::uint8_t { batches, line, slabs };

  // CUFFT_SUCCESS, or why several GPUs do not have such a plan.
  static cufftResult make(const Layout& layout, int gpus, std::optional<Spread>& out);

  Kind kind() const { return kind_; }
  int gpus() const { return gpus_; }
  const Factors& factors() const { return factors_; }
  // Of slabs, in complex numbers: two or three sizes.
  const std::vector<std::int64_t>& sizes() const { return sizes_; }
  bool is_flat() const { return sizes_.size() == 2; }
  std::int64_t batches(int gpu) const { return Share::of(layout_.batch(), gpus_, gpu).count; }

  // CUFFT_SUCCESS, or why no memory has this format.
  cufftResult check(cufftXtSubFormat format) const;
  // Of the memory that a GPU has for the format. Some formats of a single transform have none.
  std::size_t bytes(cufftXtSubFormat format, int gpu) const;

  // Of a single transform. A number of it is complex, or two real ones.
  std::size_t number() const { return number_; }
  std::int64_t count() const;
  Part part(cufftXtSubFormat format, int gpu) const;
  // Of a line between its two halves: number a of transform k at a * factor1 + k.
  Part between(int gpu) const;

 private:
  Spread(const Layout& layout, int gpus);
  cufftResult check_single();
  Part part_of_line(cufftXtSubFormat format, int gpu) const;

  Layout layout_;
  int gpus_;
  Kind kind_ = Kind::batches;
  std::size_t number_;
  Factors factors_;
  std::vector<std::int64_t> sizes_;
};

}  // namespace nvmlkit::cufft
