// Blocks that look at memory again and again, while nothing changes it: after some time they count as a deadlock.
#pragma once

namespace nvmlkit::ptx {

class Group;

// After each turn of a group. True: it has waited for too long.
bool is_out_of_patience(Group& group);

}  // namespace nvmlkit::ptx
