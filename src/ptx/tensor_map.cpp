#include "ptx/tensor_map.hpp"

namespace nvmlkit::ptx {
namespace {

// In the order of CUtensorMapDataType. Those that flush subnormal numbers do so in arithmetic alone.
constexpr Type kElements[TensorMap::kTypes] = {Type::u8,  Type::u16, Type::u32, Type::s32, Type::u64,
                                               Type::s64, Type::f16, Type::f32, Type::f64, Type::bf16,
                                               Type::f32, Type::f32, Type::f32};

}  // namespace

unsigned TensorMap::size_of_element(unsigned type) { return type < kTypes ? size_of(kElements[type]) : 0; }

Type TensorMap::element(unsigned type) { return type < kTypes ? kElements[type] : Type::none; }

}  // namespace nvmlkit::ptx
