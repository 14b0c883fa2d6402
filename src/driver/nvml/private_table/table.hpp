// The table of private functions that nvidia-smi requests from nvmlInternalGetExportTable.
#pragma once

namespace nvmlkit::driver {

// The table with this 16-byte id, or null. The first word is its size in bytes; a function pointer per word follows.
const void* private_table(const void* id);

}  // namespace nvmlkit::driver
