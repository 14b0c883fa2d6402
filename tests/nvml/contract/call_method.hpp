// Calls any generated method with arguments of its own types.
#pragma once

#include <type_traits>

#include "methods.hpp"

namespace nvmlkit::nvml::test {

template <class Class>
const auto& self(const Objects& objects) {
  if constexpr (std::is_base_of_v<Class, Library>)
    return objects.library;
  else if constexpr (std::is_base_of_v<Class, Device>)
    return objects.device;
  else if constexpr (std::is_base_of_v<Class, Unit>)
    return objects.unit;
  else if constexpr (std::is_base_of_v<Class, GpuInstance>)
    return objects.gpu_instance;
  else if constexpr (std::is_base_of_v<Class, ComputeInstance>)
    return objects.compute_instance;
  else if constexpr (std::is_base_of_v<Class, VgpuType>)
    return objects.vgpu_type;
  else
    return objects.vgpu_instance;
}

template <class T>
decltype(auto) any_argument([[maybe_unused]] const Objects& objects) {
  using Value = std::remove_cvref_t<T>;
  if constexpr (std::is_base_of_v<Object<abi::nvmlDevice_t>, Value> || !std::is_default_constructible_v<Value>)
    return self<Value>(objects);
  else if constexpr (std::is_same_v<Value, unsigned int> || std::is_same_v<Value, std::size_t>)
    return Value{1};
  else
    return Value{};
}

template <class T, class Class, class... Arguments>
Answer call_with(Result<T> (Class::*method)(Arguments...) const, const Objects& objects) {
  return answer_of((self<Class>(objects).*method)(any_argument<Arguments>(objects)...));
}

template <auto MethodPointer>
Answer call_method(const Objects& objects) {
  return call_with(MethodPointer, objects);
}

}  // namespace nvmlkit::nvml::test
