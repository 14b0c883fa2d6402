// vGPU types of the GPUs that can host them, typed. Read from registry/semantics/values/vgpu_types.yaml.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace nvmlgen {

struct VgpuSeries {
  std::string type_class, license, product;
  unsigned heads = 0, width = 0, height = 0, frame_rate_limit = 0, max_per_vm = 0;
};

struct VgpuType {
  std::string name;     // A40-8Q
  std::string series;   // Q
  std::string profile;  // GPU instance profile; empty: shares the GPU's time
  unsigned id = 0, subsystem_id = 0, memory_gb = 0, width = 0, height = 0;
  unsigned most = 0;  // that a GPU holds; 0: as many as its memory does
};

struct VgpuBoard {
  std::string gpu;     // its name
  std::string prefix;  // of the names of its types
  unsigned device_id = 0, memory_gb = 0;
  unsigned most = 0;  // vGPUs that a GPU holds
  bool mixes_without_loss = false;
  std::vector<VgpuType> types;
};

struct VgpuTypes {
  std::map<std::string, VgpuSeries> series;
  std::vector<VgpuBoard> boards;
};

// Throws RegistryError.
VgpuTypes load_vgpu_types(const std::filesystem::path& file);

}  // namespace nvmlgen
