// How CUDA programs and nvidia-cuda-mps-control speak to the MPS control daemon: a Unix socket in the pipe directory.
// Each side sends one line. The connection of a CUDA program stays open until its end.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mps/wire/limits.hpp"

namespace nvmlkit::mps {

inline constexpr const char* kPipeVariable = "CUDA_MPS_PIPE_DIRECTORY";
inline constexpr const char* kLogVariable = "CUDA_MPS_LOG_DIRECTORY";
inline constexpr const char* kPercentVariable = "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE";
inline constexpr const char* kPartitionVariable = "CUDA_MPS_SM_PARTITION";
inline constexpr const char* kLimitVariable = "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT";
// Set for the server: its CUDA library is no client, and its process is the server to the machine.
inline constexpr const char* kServerVariable = "NVMLKIT_MPS_SERVER";

// Of the variable, else NVIDIA's default.
std::string pipe_directory();
std::string log_directory();

// A connection to the daemon of the directory; -1 if there is none.
int connect_to(const std::string& directory);

// False where the other side has gone.
bool send_text(int connection, std::string_view text);
bool send_line(int connection, std::string_view line);

// Waits for a line, without its end. Nothing where the other side has gone before it.
std::optional<std::string> receive_line(int connection);

// What a CUDA program says of itself.
struct Hello {
  std::string devices;     // the UUIDs of its GPUs, separated by commas
  std::string partitions;  // its CUDA_MPS_SM_PARTITION
};
std::string line_of(const Hello& hello);
std::optional<Hello> hello_of(std::string_view line);

// A static partition, and the multiprocessors of its GPU that belong to it.
struct Share {
  std::string device, id;
  int multiprocessors = 0;
};
using Shares = std::vector<Share>;

// What it may use.
struct Grant {
  int server = 0;
  double percent = 100;
  Shares shares;  // none: the daemon divides no GPU
  Limits limits;
};
std::string line_of(const Grant& grant);
std::optional<Grant> grant_of(std::string_view line);

// In place of a grant: the client named no partition, or one that does not exist.
inline constexpr std::string_view kNoPartitionLine = "no partition";
// Later: terminate_client ends the client's work.
inline constexpr std::string_view kTerminatedLine = "terminated";

}  // namespace nvmlkit::mps
