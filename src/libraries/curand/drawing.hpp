// Words of a generator, by their place: a generator has many sequences, which the results take in turns.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace nvmlkit::curand {

class Drawing {
 public:
  virtual ~Drawing() = default;

  // Each sequence at the place where it is after so many results of one word, the sequences taken in turns.
  void seek(std::uint64_t results, unsigned results_each) {
    const std::uint64_t turns = results / results_each, all = sequences();
    places.resize(all);
    for (std::uint64_t k = 0; k < all; ++k) places[k] = (turns / all + (k < turns % all ? 1 : 0)) * results_each;
  }

  std::mutex busy;  // held by work that draws: a program may change the stream of a generator
  std::vector<std::uint64_t> places;

  // Sequences that results take in turns.
  virtual std::uint64_t sequences() const = 0;
  // `count` words from a place of a sequence on. Places that follow each other are fast.
  virtual void draw(std::uint64_t sequence, std::uint64_t place, int count, std::uint32_t* out) = 0;
  // `count` words from each of so many sequences that follow each other, at their places, which move on.
  virtual void draw_each(std::uint64_t first, std::uint64_t sequences, int count, std::uint32_t* out) {
    for (std::uint64_t k = first; k < first + sequences; ++k, out += count) {
      draw(k, places[k], count, out);
      places[k] += static_cast<unsigned>(count);
    }
  }
};

// The sequences that the device's functions of the same names give, as curand_init(seed, sequence, place) starts them.
std::shared_ptr<Drawing> make_xorwow(std::uint64_t seed);
// Each sequence begins with a seed of its own.
std::shared_ptr<Drawing> make_seeded_xorwow(std::uint64_t seed);
// Words are the numbers from 1 to 4294967087 themselves.
std::shared_ptr<Drawing> make_mrg32k3a(std::uint64_t seed, std::uint64_t sequences);
std::shared_ptr<Drawing> make_philox(std::uint64_t seed);
std::shared_ptr<Drawing> make_mt19937(std::uint64_t seed);

}  // namespace nvmlkit::curand
