// Connectionist temporal classification: the cost of labels for frames that are not aligned with them.
#pragma once

#include "libraries/dnn/array.hpp"

namespace nvmlkit::dnn {

// One sequence of a batch. Label 0 is the blank.
struct Alignment {
  std::int64_t frames;
  std::vector<int> labels;
};

// -log of the probability of the labels, from logarithms of probabilities [frames, classes]. `posterior`, if there,
// takes the probability of each class in each frame, given the labels. Labels that cannot be: infinity.
double cost_of(const Alignment& a, const std::vector<double>& logs, std::int64_t classes,
               std::vector<double>* posterior);

}  // namespace nvmlkit::dnn
