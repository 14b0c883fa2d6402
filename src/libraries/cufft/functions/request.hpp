// The arguments of the functions that describe a plan, as requests.
#pragma once

#include <array>

#include "libraries/cufft/layout.hpp"

namespace nvmlkit::cufft::functions {

// Sizes of int, as the older functions have them.
class Sizes {
 public:
  Sizes(int rank, const int* from) : there_(from != nullptr) {
    for (int i = 0; from && i < rank && i < kMostDimensions; ++i) sizes_[static_cast<std::size_t>(i)] = from[i];
  }
  const long long* get() const { return there_ ? sizes_.data() : nullptr; }

 private:
  bool there_;
  std::array<long long, kMostDimensions> sizes_{};
};

inline bool is_rank(int rank) { return rank >= 1 && rank <= kMostDimensions; }

// Work: request(const Request&) -> cufftResult.
template <class Work>
cufftResult with_sizes(std::initializer_list<long long> sizes, cufftType type, long long batch, Work work) {
  const auto types = types_of(type);
  if (!types) return CUFFT_INVALID_TYPE;
  Request request;
  request.rank = static_cast<int>(sizes.size());
  request.sizes = sizes.begin();
  request.in.type = types->in;
  request.out.type = types->out;
  request.batch = batch;
  request.checked_sizes = 1;
  return work(request);
}

template <class Work>
cufftResult with_many(int rank, const long long* n, Side in, Side out, cufftType type, long long batch, Work work) {
  const auto types = types_of(type);
  if (!types) return CUFFT_INVALID_TYPE;
  if (!is_rank(rank) || !n) return CUFFT_INVALID_VALUE;
  in.type = types->in;
  out.type = types->out;
  return work(Request{.rank = rank, .sizes = n, .in = in, .out = out, .batch = batch});
}

template <class Work>
cufftResult with_many(int rank, const int* n, const int* inembed, int istride, int idist, const int* onembed,
                      int ostride, int odist, cufftType type, int batch, Work work) {
  const Sizes sizes(rank, n), in(rank, inembed), out(rank, onembed);
  return with_many(rank, sizes.get(), Side{in.get(), istride, idist}, Side{out.get(), ostride, odist}, type, batch,
                   work);
}

// Several types of one precision; the execution has that precision too.
template <class Work>
cufftResult with_types(int rank, const long long* n, const Side& in, const Side& out, long long batch,
                       cudaDataType execution, Work work) {
  if (!is_rank(rank) || !n) return CUFFT_INVALID_VALUE;
  if (!is_complex(execution) || size_of(execution) != (is_complex(in.type) ? 1 : 2) * size_of(in.type))
    return CUFFT_INVALID_TYPE;
  return work(Request{.rank = rank, .sizes = n, .in = in, .out = out, .batch = batch});
}

}  // namespace nvmlkit::cufft::functions
