// The operations of graphs: what their descriptors say, and one that runs.
#pragma once

#include "libraries/cudnn/graph/tables.hpp"
#include "libraries/dnn/pointwise.hpp"

namespace nvmlkit::cudnn::graph {

dnn::Convolution convolution_of(const Content& description);
dnn::Pointwise pointwise_of(const Content& description);

bool is_simulated(Kind kind);
template <class T>
void run(const Content& operation, Tables<T>& tables);
// The subjects.
template <class T>
void run_convolution(const Content& c, Tables<T>& tables);
template <class T>
void run_pointwise(const Content& c, Tables<T>& tables);
template <class T>
void run_normalization(const Content& c, Tables<T>& tables);
template <class T>
void run_normalization_back(const Content& c, Tables<T>& tables);

}  // namespace nvmlkit::cudnn::graph
