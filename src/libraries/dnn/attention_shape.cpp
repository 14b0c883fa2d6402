#include "libraries/dnn/attention_shape.hpp"

namespace nvmlkit::dnn {

// The matrices of queries, keys, values and the output follow each other, then the biases in the same order.
AttentionShape::Part AttentionShape::weights(int side) const {
  Part out;
  for (int s = query; s <= side; ++s) {
    out.offset += out.count();
    if (projected[s] == 0)
      out.rows = out.columns = 0;
    else if (s == output)
      out.rows = heads * of_head(value), out.columns = projected[s];
    else
      out.rows = width[s], out.columns = heads * projected[s];
  }
  return out;
}

AttentionShape::Part AttentionShape::biases(int side) const {
  const Part last = weights(output);
  Part out{last.offset + last.count(), 0, 0};
  for (int s = query; s <= side; ++s) {
    out.offset += out.count();
    out.columns = has_biases ? (s == output ? projected[s] : heads * projected[s]) : 0;
    out.rows = out.columns > 0 ? 1 : 0;
  }
  return out;
}

std::int64_t AttentionShape::weight_count() const {
  const Part last = biases(output);
  return last.offset + last.count();
}

double AttentionShape::operations(double queries, double keys) const {
  const auto part = [&](int side) { return static_cast<double>(weights(side).count()); };
  const double pairs = static_cast<double>(heads * (of_head(query) + of_head(value))) * queries * keys;
  return 2 * (queries * (part(query) + part(output)) + keys * (part(key) + part(value)) + pairs);
}

}  // namespace nvmlkit::dnn
