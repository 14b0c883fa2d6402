// Arrays of the host, copied to the device and back.
#pragma once

#include <cstddef>
#include <vector>

#include "check.hpp"

template <class T>
T* upload(const std::vector<T>& host) {
  T* device = nullptr;
  OK(cudaMalloc(&device, host.size() * sizeof(T)));
  OK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

template <class T>
std::vector<T> download(const T* device, std::size_t count) {
  std::vector<T> host(count);
  OK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}
