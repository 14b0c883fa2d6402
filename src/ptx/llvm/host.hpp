// What the instructions of this host can do.
#pragma once

namespace llvm {
class Function;
namespace orc {
class JITTargetMachineBuilder;
}
}  // namespace llvm

namespace nvmlkit::ptx::jit {

// Which instructions LLVM may use, of those of the host: NVMLKIT_CUDA_VECTORS has the most bits of a vector.
void settle_processor(llvm::orc::JITTargetMachineBuilder& builder);
// For which processor it chooses among them.
void tune(llvm::Function& code);

// Whether the host converts between f16 and f32. LLVM would call a function that is not there.
bool converts_halves();

// Whether it loads and stores rows of words for some lanes. LLVM would make a branch for each lane.
bool has_masked_accesses();

// Whether such a store takes no longer than to load, change and store the row.
bool has_fast_masked_stores();

// Whether it loads from an address for each lane faster than one lane after the other.
bool has_fast_gathers();

// Whether it stores to an address for each lane faster than one lane after the other.
bool has_fast_scatters();

// Whether one instruction chooses between the lanes of a vector and a constant. LLVM would make several of one.
bool selects_constants();

// Whether a bit for each lane can become a vector. LLVM would take one bit after the other.
bool has_vectors_of_bits();

}  // namespace nvmlkit::ptx::jit
