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

// The files in an archive (`ar`); nothing when it is none.
std::optional<std::vector<std::span<const std::byte>>> members(std::span<const std::byte> file);

// An image for the module loader, as a program is handed it in place of a cubin: an ELF file of ours with one section
// for each PTX text.
std::string image_of(std::span<const std::string> texts);

// The texts in such an image; nothing if it is not for a GPU. Without a size, its own header supplies it.
std::optional<std::vector<std::string>> texts_of_image(std::span<const std::byte> image);
std::optional<std::vector<std::string>> texts_of_image(const void* image);

}  // namespace nvmlkit::cuda::fatbin
