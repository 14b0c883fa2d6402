// States in the words and letters of nvidia-imex-ctl.
#pragma once

#include <string_view>

namespace nvmlkit::imex {

// Of one node's service.
inline constexpr std::string_view kInitializing = "INITIALIZING";
inline constexpr std::string_view kWaitingForPeers = "WAITING_FOR_PEERS";
inline constexpr std::string_view kInitGpu = "INIT_GPU";
inline constexpr std::string_view kReady = "READY";
inline constexpr std::string_view kUnavailable = "UNAVAILABLE";  // it does not answer

// Of a connection from one node to another.
enum class Connection { invalid, never, recovering, disconnected, version_mismatch, map_mismatch, connected };

std::string_view letter_of(Connection connection);  // of the table
std::string_view name_of(Connection connection);    // of JSON, and between the programs here
Connection connection_of(std::string_view name);    // invalid where the name is unknown

}  // namespace nvmlkit::imex
