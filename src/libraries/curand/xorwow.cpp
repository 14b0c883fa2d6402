// XORWOW. Its step is linear over bits, so that a jump is a matrix of 160 by 160 bits; sequences are 2^67 steps apart.
#include <array>
#include <vector>

#include "libraries/curand/drawing.hpp"

namespace nvmlkit::curand {
namespace {

using Bits = std::array<std::uint32_t, 5>;
constexpr std::uint32_t kWeyl = 362437;
constexpr std::uint64_t kSequences = 4096;

void step(Bits& v) {
  const std::uint32_t t = v[0] ^ (v[0] >> 2);
  v = {v[1], v[2], v[3], v[4], (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1))};
}

// The images of the 160 bits.
using Matrix = std::vector<Bits>;
Bits times(const Matrix& m, const Bits& v) {
  Bits out{};
  for (std::size_t bit = 0; bit < 160; ++bit)
    if (v[bit / 32] >> (bit % 32) & 1)
      for (std::size_t k = 0; k < 5; ++k) out[k] ^= m[bit][k];
  return out;
}

// Jumps of 2^k steps.
const std::vector<Matrix>& jumps() {
  static const std::vector<Matrix> all = [] {
    Matrix one(160);
    for (std::size_t bit = 0; bit < 160; ++bit) {
      one[bit][bit / 32] = std::uint32_t{1} << (bit % 32);
      step(one[bit]);
    }
    std::vector<Matrix> out{one};
    while (out.size() < 68) {
      Matrix next;
      for (const Bits& image : out.back()) next.push_back(times(out.back(), image));
      out.push_back(std::move(next));
    }
    return out;
  }();
  return all;
}

struct State {
  Bits v{};
  std::uint32_t d = 0;
  std::uint64_t place = 0;

  void move_to(std::uint64_t to) {
    for (; place < to && to - place < 512; ++place) {
      step(v);
      d += kWeyl;
    }
    const std::uint64_t rest = to - place;
    for (std::size_t k = 0; k < 64; ++k)
      if (rest >> k & 1) v = times(jumps()[k], v);
    d += kWeyl * static_cast<std::uint32_t>(rest);
    place = to;
  }
};

State started(std::uint64_t seed) {
  const std::uint32_t t0 = 1099087573u * (static_cast<std::uint32_t>(seed) ^ 0xaad26b49u),
                      t1 = 2591861531u * (static_cast<std::uint32_t>(seed >> 32) ^ 0xf7dcefddu);
  return {{123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0}, 6615241u + t1 + t0, 0};
}

class Xorwow : public Drawing {
 public:
  explicit Xorwow(std::vector<State> first) : first_(std::move(first)), now_(first_) {}

  std::uint64_t sequences() const override { return kSequences; }
  void draw(std::uint64_t sequence, std::uint64_t place, int count, std::uint32_t* out) override {
    State& state = now_[sequence];
    if (state.place > place) state = first_[sequence];
    state.move_to(place);
    for (int k = 0; k < count; ++k) {
      step(state.v);
      state.d += kWeyl;
      out[k] = state.v[4] + state.d;
    }
    state.place += static_cast<std::uint64_t>(count);
  }

 private:
  std::vector<State> first_, now_;
};

}  // namespace

std::shared_ptr<Drawing> make_xorwow(std::uint64_t seed) {
  std::vector<State> first{started(seed)};
  while (first.size() < kSequences) {
    first.push_back(first.back());
    first.back().v = times(jumps()[67], first.back().v);
  }
  return std::make_shared<Xorwow>(std::move(first));
}

std::shared_ptr<Drawing> make_seeded_xorwow(std::uint64_t seed) {
  std::vector<State> first;
  for (std::uint64_t k = 0; k < kSequences; ++k) first.push_back(started(seed + k * 0x9e3779b97f4a7c15u));
  return std::make_shared<Xorwow>(std::move(first));
}

}  // namespace nvmlkit::curand
