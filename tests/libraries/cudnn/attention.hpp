// Attention of several heads by its definition, in double, and random cases of it.
#pragma once

#include "descriptors.hpp"

namespace nvmlkit::library_test {

// Sizes by query, key, value; projections with the output behind; 0: none.
struct AttentionCase {
  int heads = 1, width[3] = {1, 1, 1}, projected[4] = {0, 0, 0, 0};
  int batches = 1, beams = 1, queries = 1, keys = 1;  // the latter two: the longest ones
  bool has_own_keys = false, has_biases = false, has_residuals = false;
  double scale = 1;
  cudnnDataType_t type = CUDNN_DATA_DOUBLE;
  std::vector<int> query_lengths, key_lengths, from, to;

  int of_head(int side) const { return projected[side] ? projected[side] : width[side]; }
  int output() const { return projected[3] ? projected[3] : heads * of_head(2); }
  int key_beams() const { return has_own_keys ? beams : 1; }
  int time(int side) const { return side == 1 || side == 2 ? keys : queries; }
  int beams_of(int side) const { return side == 1 || side == 2 ? key_beams() : beams; }
  int width_of(int side) const { return side == 3 ? output() : width[side]; }
  int count(int side) const { return batches * beams_of(side) * time(side) * width_of(side); }
  // Of a matrix of weights, or of its bias: [heads, projected, inputs].
  int weights(int side) const { return heads * projected[side] * (side == 3 ? of_head(2) : width[side]); }
  int biases(int side) const { return !has_biases ? 0 : side == 3 ? projected[3] : heads * projected[side]; }
};

inline AttentionCase random_attention(Dice& dice) {
  AttentionCase c;
  c.heads = dice.range(1, 3), c.batches = dice.range(1, 3), c.beams = dice.range(1, 2);
  c.queries = dice.range(1, 5), c.keys = dice.range(1, 6);
  c.has_own_keys = dice.range(0, 1), c.has_biases = dice.range(0, 1), c.has_residuals = dice.range(0, 1);
  c.scale = dice.range(1, 8) / 4.0;
  for (auto& width : c.width) width = dice.range(1, 6);
  for (auto& projected : c.projected) projected = dice.range(0, 5);
  const int match = c.of_head(0);
  if (dice.range(0, 1) && match != c.width[1])
    c.projected[1] = match;
  else
    c.width[1] = match, c.projected[1] = 0;
  for (int k = 0; k < c.batches * c.beams; ++k) c.query_lengths.push_back(dice.range(1, c.queries));
  for (int k = 0; k < c.batches * c.key_beams(); ++k) c.key_lengths.push_back(dice.range(1, c.keys));
  // A query that sees no key is not documented.
  for (int k = 0; k < c.queries; ++k) c.from.push_back(0), c.to.push_back(dice.range(1, c.keys));
  return c;
}

// Elements by batch, beam, time and place in the vector; matrices and biases by side.
struct AttentionData {
  std::vector<double> sides[3], residuals, weights[4], biases[4];
};

inline AttentionData random_data(const AttentionCase& c, Dice& dice) {
  AttentionData out;
  for (int s = 0; s < 3; ++s) out.sides[s] = dice.numbers(c.count(s));
  out.residuals = dice.numbers(c.count(3));
  for (int s = 0; s < 4; ++s) out.weights[s] = dice.numbers(c.weights(s)), out.biases[s] = dice.numbers(c.biases(s));
  return out;
}

inline std::size_t place(const AttentionCase& c, int side, int batch, int beam, int time) {
  return static_cast<std::size_t>(((batch * c.beams_of(side) + beam) * c.time(side) + time) * c.width_of(side));
}

// A vector of one head.
inline std::vector<double> projection(const AttentionCase& c, const AttentionData& d, int side, int head,
                                      const double* vector) {
  const int width = c.width[side], projected = c.projected[side];
  if (projected == 0) return {vector, vector + width};
  std::vector<double> out(static_cast<std::size_t>(projected));
  for (int p = 0; p < projected; ++p) {
    const auto row = static_cast<std::size_t>(head * projected + p);
    double& sum = out[static_cast<std::size_t>(p)] = c.has_biases ? d.biases[side][row] : 0;
    for (int i = 0; i < width; ++i) sum += d.weights[side][row * static_cast<std::size_t>(width) + i] * vector[i];
  }
  return out;
}

// Of one query: what one head finds.
inline std::vector<double> found_by(const AttentionCase& c, const AttentionData& d, int head, int batch, int beam,
                                    int time) {
  const int key_beam = c.has_own_keys ? beam : 0;
  const auto query = projection(c, d, 0, head, d.sides[0].data() + place(c, 0, batch, beam, time));
  const int keys = c.key_lengths[static_cast<std::size_t>(batch * c.key_beams() + key_beam)];
  const int from = c.from[static_cast<std::size_t>(time)], to = std::min(c.to[static_cast<std::size_t>(time)], keys);
  std::vector<double> shares, out(static_cast<std::size_t>(c.of_head(2)));
  double sum = 0;
  for (int k = from; k < to; ++k) {
    const auto key = projection(c, d, 1, head, d.sides[1].data() + place(c, 1, batch, key_beam, k));
    double score = 0;
    for (std::size_t i = 0; i < key.size(); ++i) score += query[i] * key[i];
    shares.push_back(std::exp(c.scale * score));
    sum += shares.back();
  }
  for (int k = from; k < to; ++k) {
    const auto value = projection(c, d, 2, head, d.sides[2].data() + place(c, 2, batch, key_beam, k));
    const double share = shares[static_cast<std::size_t>(k - from)] / sum;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += share * value[i];
  }
  return out;
}

// The output; what lies behind a sequence is 0.
inline std::vector<double> attended(const AttentionCase& c, const AttentionData& d) {
  std::vector<double> out(static_cast<std::size_t>(c.count(3)));
  for (int b = 0; b < c.batches; ++b)
    for (int m = 0; m < c.beams; ++m)
      for (int t = 0; t < c.query_lengths[static_cast<std::size_t>(b * c.beams + m)]; ++t) {
        double* const to = out.data() + place(c, 3, b, m, t);
        for (int h = 0; h < c.heads; ++h) {
          const auto of_head = found_by(c, d, h, b, m, t);
          const auto width = static_cast<int>(of_head.size());
          for (int i = 0; i < width; ++i)
            if (c.projected[3] == 0)
              to[h * width + i] += of_head[static_cast<std::size_t>(i)];
            else
              for (int o = 0; o < c.projected[3]; ++o)
                to[o] += d.weights[3][static_cast<std::size_t>((h * c.projected[3] + o) * width + i)] *
                         of_head[static_cast<std::size_t>(i)];
        }
        for (int o = 0; o < c.output(); ++o) {
          if (c.biases(3) > 0) to[o] += d.biases[3][static_cast<std::size_t>(o)];
          if (c.has_residuals) to[o] += d.residuals[place(c, 3, b, m, t) + static_cast<std::size_t>(o)];
        }
      }
  return out;
}

}  // namespace nvmlkit::library_test
