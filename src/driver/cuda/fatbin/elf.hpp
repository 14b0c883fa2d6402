// ELF files and archives of them, into which compilers write code for GPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nvmlkit::cuda::fatbin {

struct Section {
  std::string_view name;
  std::span<const std::byte> bytes;
};

// The sections of a 64-bit ELF file; nothing when it is none. Of a damaged one, those that lie in it.
std::optional<std::vector<Section>> sections(std::span<const std::byte> file);

// The regions of fat binaries in an object file that nvcc made; nothing when it is no ELF file.
std::optional<std::vector<std::span<const std::byte>>> regions(std::span<const std::byte> file);

// The files in an archive (`ar`); nothing when it is none.
std::optional<std::vector<std::span<const std::byte>>> members(std::span<const std::byte> file);

// What a program is handed in place of a cubin, for the module loader.
struct Image {
  std::vector<std::string> texts;  // PTX
  int architecture = 0;            // of the GPU that it was made for: 90
};

// As an ELF file of ours with one section for each text.
std::string image_of(const Image& image);

// The image in such a file; nothing if it is none of ours. Without a size, its own header supplies it.
std::optional<Image> image_in(std::span<const std::byte> file);
std::optional<Image> image_at(const void* file);

}  // namespace nvmlkit::cuda::fatbin
