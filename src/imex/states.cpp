#include "imex/states.hpp"

#include <array>
#include <cstddef>

namespace nvmlkit::imex {
namespace {

struct Words {
  std::string_view letter, name;
};
constexpr std::array<Words, 7> kWords{{{"I", "INVALID"},
                                       {"N", "NEVER_CONNECTED"},
                                       {"R", "RECOVERING"},
                                       {"D", "DISCONNECTED"},
                                       {"!V!", "VERSION_MISMATCH"},
                                       {"!M!", "NODE_MAP_MISMATCH"},
                                       {"C", "CONNECTED"}}};

}  // namespace

std::string_view letter_of(Connection connection) { return kWords.at(static_cast<std::size_t>(connection)).letter; }
std::string_view name_of(Connection connection) { return kWords.at(static_cast<std::size_t>(connection)).name; }

Connection connection_of(std::string_view name) {
  for (std::size_t i = 0; i < kWords.size(); ++i)
    if (kWords.at(i).name == name) return static_cast<Connection>(i);
  return Connection::invalid;
}

}  // namespace nvmlkit::imex
