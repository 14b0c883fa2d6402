#include "driver/cuda/memory/copies.hpp"

#include <cstring>

#include "driver/cuda/memory/host_memory.hpp"
#include "driver/cuda/sanitize/host_work.hpp"
#include "driver/cuda/sanitize/managed_pages.hpp"
#include "driver/cuda/sanitize/sanitizer.hpp"
#include "driver/cuda/textures/textures.hpp"
#include "ptx/changing_memory.hpp"
#include "ptx/memory_view.hpp"

namespace nvmlkit::cuda {
namespace {

CUdeviceptr address_of(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

}  // namespace

CUresult Copy::place_in_array(const Side& side, const Box& box, Placed& out) {
  const auto array = textures::find(side.array);
  if (!array) return CUDA_ERROR_INVALID_VALUE;
  const auto fits = [](std::size_t at, std::size_t size, std::size_t room) { return at <= room && size <= room - at; };
  if (!fits(side.x, box.width, array->row()) || !fits(side.y, box.height, array->height()) ||
      !fits(side.z, box.depth, array->depth()))
    return CUDA_ERROR_INVALID_VALUE;
  out.row = array->row();
  out.slice = out.row * array->height();
  out.span = {array->memory->bytes + side.z * out.slice + side.y * out.row + side.x, array->memory};
  return CUDA_SUCCESS;
}

CUresult Copy::place(const Side& side, const Box& box, Use use, Placed& out) {
  if (side.type == CU_MEMORYTYPE_ARRAY) return place_in_array(side, box, out);
  if (side.type != CU_MEMORYTYPE_HOST && side.type != CU_MEMORYTYPE_DEVICE && side.type != CU_MEMORYTYPE_UNIFIED)
    return CUDA_ERROR_INVALID_VALUE;
  __extension__ using Wide = unsigned __int128;
  const Wide row = side.pitch ? Wide{side.pitch} : Wide{side.x} + box.width;
  const Wide slice = row * (side.height ? Wide{side.height} : Wide{side.y} + box.height);
  if (Wide{side.x} + box.width > row) return CUDA_ERROR_INVALID_VALUE;
  if (box.depth > 1 && Wide{side.y} + box.height > slice / row) return CUDA_ERROR_INVALID_VALUE;
  constexpr Wide kLimit = Wide{1} << 48;  // of addresses; what is checked one by one cannot wrap together
  if (row > kLimit || slice > kLimit || side.y > kLimit || side.z > kLimit) return CUDA_ERROR_INVALID_VALUE;
  const Wide begin = side.z * slice + side.y * row + side.x;
  const Wide size = (box.depth - 1) * slice + (box.height - 1) * row + box.width;
  if (begin > kLimit || size > kLimit) return CUDA_ERROR_INVALID_VALUE;
  const auto start =
      (side.type == CU_MEMORYTYPE_HOST ? address_of(side.host) : side.device) + static_cast<CUdeviceptr>(begin);
  const auto length = static_cast<std::uint64_t>(size);
  out.span = side.type == CU_MEMORYTYPE_DEVICE ? memory::known(start, length, use) : memory::any(start, length, use);
  out.row = static_cast<std::size_t>(row);
  out.slice = static_cast<std::size_t>(slice);
  if (!out.span) return CUDA_ERROR_INVALID_VALUE;
  const auto& holder = out.span.holder;
  out.is_pageable = !holder;
  out.is_host = !holder || holder->kind == MemoryKind::host || holder->kind == MemoryKind::registered;
  return CUDA_SUCCESS;
}

CUresult Copy::find(const CUDA_MEMCPY3D& c) {
  box_ = {c.WidthInBytes, c.Height, c.Depth};
  if (box_.width == 0 || box_.height == 0 || box_.depth == 0) return CUDA_SUCCESS;
  const Side to{c.dstMemoryType, c.dstHost,  c.dstDevice, c.dstXInBytes, c.dstY,
                c.dstZ,          c.dstPitch, c.dstHeight, c.dstArray};
  if (const auto result = place(to, box_, Use::write, to_); result != CUDA_SUCCESS) return result;
  const Side from{c.srcMemoryType, c.srcHost,  c.srcDevice, c.srcXInBytes, c.srcY,
                  c.srcZ,          c.srcPitch, c.srcHeight, c.srcArray};
  const auto result = place(from, box_, Use::read, from_);
  if (to_.is_host && from_.span.holder && from_.span.holder->written) origin_ = sanitizer::here();
  return result;
}

bool Copy::is_synchronous() const {
  const auto wants = [](const Span& span) { return span.holder && span.holder->is_synchronous; };
  return wants(to_.span) || wants(from_.span);
}

std::vector<CUcontext> Copy::contexts_of_gpus() const {
  const auto& from = from_.span.holder;
  const auto& to = to_.span.holder;
  if (!from || !to || from->kind != MemoryKind::device || to->kind != MemoryKind::device || from->device == to->device)
    return {};
  return {from->context, to->context};
}

void Copy::stage() {
  if (size() == 0) return;
  staged_.reset(new std::byte[size()]);
  auto* at = staged_.get();
  for (std::size_t z = 0; z < box_.depth; ++z)
    for (std::size_t y = 0; y < box_.height; ++y, at += box_.width)
      std::memcpy(at, from_.span.bytes + z * from_.slice + y * from_.row, box_.width);
  from_ = {{staged_.get(), nullptr}, box_.width, box_.width * box_.height, true, false};
}

bool Copy::fits() const {
  const bool is_device = to_.span.holder && !to_.is_host;
  return size() == 0 || !is_device || host_memory::fits(to_.span.bytes, size());
}

// Bytes that nothing wrote stay so in a copy.
void Copy::note_written() const {
  const auto& to = to_.span;
  const auto& from = from_.span;
  const auto* const source = from.holder ? from.holder->written : nullptr;
  for (std::size_t z = 0; z < box_.depth; ++z)
    for (std::size_t y = 0; y < box_.height; ++y) {
      auto* const at = to.holder->written + (to.bytes - to.holder->bytes) + z * to_.slice + y * to_.row;
      if (source)
        std::memmove(at, source + (from.bytes - from.holder->bytes) + z * from_.slice + y * from_.row, box_.width);
      else
        std::memset(at, ptx::kWritten, box_.width);
    }
}

void Copy::note_accesses() const {
  const auto rows = [&](const Placed& side) {
    return sanitizer::Rows{side.is_host ? nullptr : side.span.holder.get(), side.span.bytes, box_.width, box_.height,
                           side.row};
  };
  if (box_.depth == 1) sanitizer::note_work("a copy of the driver", rows(to_), rows(from_));
}

// What nothing wrote comes to the host.
void Copy::check_source() const {
  const auto& from = from_.span;
  for (std::size_t z = 0; z < box_.depth; ++z)
    sanitizer::check_copy_to_host(*from.holder,
                                  static_cast<std::uint64_t>(from.bytes - from.holder->bytes) + z * from_.slice,
                                  box_.width, box_.height, from_.row, origin_);
}

void Copy::perform() const {
  if (size() == 0) return;  // then there may be no addresses either
  if (from_.span.holder && from_.span.holder->written) sanitizer::note_host_writes(*from_.span.holder);
  if (origin_ && from_.span.holder) check_source();
  if (to_.span.holder && to_.span.holder->written) note_written();
  if (sanitizer::is_on()) note_accesses();
  const ptx::ChangingMemory changing;
  for (std::size_t z = 0; z < box_.depth; ++z)
    for (std::size_t y = 0; y < box_.height; ++y)
      std::memmove(to_.span.bytes + z * to_.slice + y * to_.row, from_.span.bytes + z * from_.slice + y * from_.row,
                   box_.width);
}

}  // namespace nvmlkit::cuda
