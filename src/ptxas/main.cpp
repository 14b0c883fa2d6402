// ptxas: what compilers ask for a cubin, in place of NVIDIA's.
#include <iostream>

#include "ptx/parse/head.hpp"
#include "ptxas/assemble.hpp"
#include "ptxas/options.hpp"

namespace {

using namespace nvmlkit;

constexpr int kFailed = 255;

// Compilers look for the release. Triton names what it keeps on disk by all of it.
void print_version() {
  std::cout << "ptxas: PTX for simulated GPUs, in place of NVIDIA (R) Ptx optimizing assembler\n"
               "Cuda compilation tools, release 13.0, V13.0.88\n"
               "Build nvmlkit_" NVMLKIT_VERSION "\n";
}

void print_versions() {
  for (int version = 10; version <= ptx::kVersionOfCompilers; ++version)
    if (ptx::is_version(version)) std::cout << ptx::version_text(version) << '\n';
}

void print_usage() {
  std::cout << "Usage  : ptxas [options] <ptx file>,...\n\n"
               "Takes the options of NVIDIA's ptxas 13.0. These have an effect:\n"
               "  --gpu-name (-arch) NAME      the GPU, for instance sm_90a\n"
               "  --output-file (-o) FILE      the image, elf.o by default\n"
               "  --input-as-string (-ias)     PTX in place of a file\n"
               "  --compile-only (-c)          what is declared may be defined elsewhere\n"
               "  --entry (-e) NAME,...        kernels that must be there\n"
               "  --options-file (-optf) FILE  more options\n"
               "  --verbose (-v), --version (-V), --list-version (-version-ls), --help (-h)\n\n"
               "The image holds the checked PTX. The simulated driver of nvmlkit loads it, and no other.\n";
}

int run(const std::vector<std::string>& arguments) {
  const auto options = ptxas::options_of(arguments);
  switch (options.task) {
    case ptxas::Task::print_usage:
      print_usage();
      return 0;
    case ptxas::Task::print_version:
      print_version();
      return 0;
    case ptxas::Task::print_versions:
      print_versions();
      return 0;
    case ptxas::Task::assemble:
      break;
  }
  return ptxas::assemble(options, std::cerr) ? 0 : kFailed;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run({arguments + 1, arguments + count});
  } catch (const ptxas::Fatal& fatal) {
    std::cerr << "ptxas fatal   : " << fatal.what() << '\n';
    return kFailed;
  }
}
