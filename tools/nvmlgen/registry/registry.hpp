// The whole registry: facts, semantics and model, checked against each other.
#pragma once

#include <filesystem>

#include "registry/architectures.hpp"
#include "registry/cuda.hpp"
#include "registry/driver_branches.hpp"
#include "registry/errata.hpp"
#include "registry/field_ids.hpp"
#include "registry/gpm_metrics.hpp"
#include "registry/libraries.hpp"
#include "registry/model.hpp"
#include "registry/pointers.hpp"
#include "registry/ptx.hpp"
#include "registry/questions.hpp"
#include "registry/semantics.hpp"
#include "registry/vgpu_types.hpp"
#include "registry/xids.hpp"

namespace nvmlgen {

struct Registry {
  Facts facts;
  Semantics semantics;
  Model model;
  FieldIds field_ids;
  std::vector<GpmMetric> gpm_metrics;
  Errata errata;
  std::vector<DriverBranch> driver_branches;
  CudaOfBranches cuda_of_branches;
  cuda::Registry cuda;
  ptx::InstructionSet ptx;
  std::vector<Xid> xids;
  std::vector<Sxid> sxids;
  Architectures architectures;
  VgpuTypes vgpu_types;
  Questions questions;
  std::vector<ShownField> shown;
  std::vector<FollowedStruct> followed;
  std::vector<PrivateTable> private_tables;
  std::vector<libraries::Library> libraries;
};

// Loads registry/ and refuses one with a hole (RegistryError).
Registry load_registry(const std::filesystem::path& directory);

}  // namespace nvmlgen
