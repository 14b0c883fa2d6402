#include "cli/permissions.hpp"

#include <grp.h>
#include <pwd.h>

#include <charconv>
#include <limits>
#include <optional>

#include "cli/command_error.hpp"
#include "sim/problem/names.hpp"

namespace nvmlkit::cli {
namespace {

// A user or group that no list has is a number: those of pods often are.
std::optional<std::uint32_t> id_of(const std::string& text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && number != std::numeric_limits<std::uint32_t>::max() ? std::optional(number) : std::nullopt;
}

uid_t user_of(const std::string& text) {
  if (const auto number = id_of(text)) return *number;
  if (const auto* known = getpwnam(text.c_str())) return known->pw_uid;
  throw CommandError(of_argument("--owner", sim::wrong_value("a user or its number", sim::quote(text))));
}

gid_t group_of(const std::string& text) {
  if (const auto number = id_of(text)) return *number;
  if (const auto* known = getgrnam(text.c_str())) return known->gr_gid;
  throw CommandError(of_argument("--group", sim::wrong_value("a group or its number", sim::quote(text))));
}

// Nobody runs a state file, and its owner reads and writes it.
mode_t mode_of(const std::string& text) {
  mode_t mode = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
  constexpr mode_t kOwner = 0600, kAll = 0666;
  if (error != std::errc{} || end != text.data() + text.size() || (mode & kOwner) != kOwner || (mode & ~kAll) != 0)
    throw CommandError(
        of_argument("--mode", sim::wrong_value("0600, 0640, 0660, 0644, 0664 or 0666", sim::quote(text))));
  return mode;
}

}  // namespace

void PermissionOptions::declare(Arguments& arguments) {
  arguments.section("Who may open the state file");
  arguments.option("--owner", Kind::text, owner_, "The user that it belongs to; only root gives it away")
      .label("USER")
      .default_text("this user");
  arguments.option("--group", Kind::text, group_, "The group that it belongs to")
      .label("GROUP")
      .default_text("the group of this user");
  arguments
      .option("--mode", Kind::text, mode_, "Who may read it, and write it: a program that only reads sees the machine")
      .label("MODE")
      .for_example({"0600", "0640", "0644", "0660", "0666"})
      .default_text("0600");
}

sim::state::Permissions PermissionOptions::permissions() const {
  sim::state::Permissions permissions;
  if (!owner_.empty()) permissions.owner = user_of(owner_);
  if (!group_.empty()) permissions.group = group_of(group_);
  if (!mode_.empty()) permissions.mode = mode_of(mode_);
  return permissions;
}

}  // namespace nvmlkit::cli
