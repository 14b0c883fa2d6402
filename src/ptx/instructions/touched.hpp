// Which bytes an instruction accesses, for who checks them. Addresses are those of the instruction.
#pragma once

#include <vector>

#include "ptx/module.hpp"

namespace nvmlkit::ptx {

struct Touched;
using TouchedBytes = std::vector<Touched>;
using ListTouched = void (*)(Warp& w, const Instruction& i, Mask lanes, TouchedBytes& out);

namespace touched {

void async_copies(Warp& w, const Instruction& i, Mask lanes, TouchedBytes& out);  // cp.async
void bulk_copies(Warp& w, const Instruction& i, Mask lanes, TouchedBytes& out);   // cp.async.bulk, cp.reduce.async.bulk
void tensor_copies(Warp& w, const Instruction& i, Mask lanes, TouchedBytes& out);   // the same of tensors
void matrix_rows(Warp& w, const Instruction& i, Mask lanes, TouchedBytes& out);     // ldmatrix, stmatrix
void tiles(Warp& w, const Instruction& i, Mask lanes, TouchedBytes& out);           // wmma.load, wmma.store
void group_products(Warp& w, const Instruction& i, Mask lanes, TouchedBytes& out);  // wgmma
void barriers(Warp& w, const Instruction& i, Mask lanes, TouchedBytes& out);       // mbarrier, cp.async.mbarrier.arrive
void async_changes(Warp& w, const Instruction& i, Mask lanes, TouchedBytes& out);  // st.async, red.async
void tensor_maps(Warp& w, const Instruction& i, Mask lanes, TouchedBytes& out);    // tensormap.replace
void published_maps(Warp& w, const Instruction& i, Mask lanes, TouchedBytes& out);  // tensormap.cp_fenceproxy

}  // namespace touched
}  // namespace nvmlkit::ptx
