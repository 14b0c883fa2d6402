#include "ptx/builtins/grid_groups.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "ptx/parse/link.hpp"

namespace nvmlkit::ptx {
namespace {

static_assert(offsetof(GridOfMany, rank) == 8 && offsetof(GridOfMany, grids) == 12 &&
              offsetof(GridOfMany, first_thread) == 16 && offsetof(GridOfMany, threads) == 20 &&
              offsetof(GridOfMany, blocks) == 24);

// The functions answer 0, or cudaErrorInvalidValue without a handle.
constexpr std::string_view kFunctions = R"(
.version 7.0
.target sm_70
.address_size 64

.weak .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<2>;
  ld.param.u32 %r1, [scope];
  setp.eq.u32 %p1, %r1, 2;
  mov.u32 %r2, %envreg1;
  mov.u32 %r3, %envreg2;
  mov.u32 %r4, %envreg3;
  mov.u32 %r5, %envreg4;
  selp.b32 %r2, %r4, %r2, %p1;
  selp.b32 %r3, %r5, %r3, %p1;
  mov.b64 %rd1, {%r3, %r2};
  st.param.b64 [handle], %rd1;
  ret;
}

.weak .func (.param .b32 result) cudaCGGetSize(.param .b64 threads, .param .b64 grids, .param .b64 handle)
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [handle];
  ld.param.u64 %rd2, [threads];
  ld.param.u64 %rd3, [grids];
  mov.u32 %r3, 1;
  setp.eq.u64 %p1, %rd1, 0;
  @%p1 bra END;
  setp.eq.u64 %p1, %rd2, 0;
  @%p1 bra GRIDS;
  ld.u32 %r1, [%rd1+20];
  st.u32 [%rd2], %r1;
GRIDS:
  mov.u32 %r3, 0;
  setp.eq.u64 %p1, %rd3, 0;
  @%p1 bra END;
  ld.u32 %r2, [%rd1+12];
  st.u32 [%rd3], %r2;
END:
  st.param.b32 [result], %r3;
  ret;
}

.weak .func (.param .b32 result) cudaCGGetRank(.param .b64 thread, .param .b64 grid, .param .b64 handle)
{
  .reg .pred %p<2>;
  .reg .b32 %r<14>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [handle];
  ld.param.u64 %rd2, [thread];
  ld.param.u64 %rd3, [grid];
  mov.u32 %r3, 1;
  setp.eq.u64 %p1, %rd1, 0;
  @%p1 bra END;
  setp.eq.u64 %p1, %rd2, 0;
  @%p1 bra GRID;
  mov.u32 %r4, %ctaid.z;
  mov.u32 %r5, %nctaid.y;
  mov.u32 %r6, %ctaid.y;
  mad.lo.u32 %r4, %r4, %r5, %r6;
  mov.u32 %r5, %nctaid.x;
  mov.u32 %r6, %ctaid.x;
  mad.lo.u32 %r4, %r4, %r5, %r6;
  mov.u32 %r7, %ntid.z;
  mov.u32 %r8, %tid.z;
  mad.lo.u32 %r4, %r4, %r7, %r8;
  mov.u32 %r7, %ntid.y;
  mov.u32 %r8, %tid.y;
  mad.lo.u32 %r4, %r4, %r7, %r8;
  mov.u32 %r7, %ntid.x;
  mov.u32 %r8, %tid.x;
  mad.lo.u32 %r4, %r4, %r7, %r8;
  ld.u32 %r1, [%rd1+16];
  add.u32 %r4, %r4, %r1;
  st.u32 [%rd2], %r4;
GRID:
  mov.u32 %r3, 0;
  setp.eq.u64 %p1, %rd3, 0;
  @%p1 bra END;
  ld.u32 %r2, [%rd1+8];
  st.u32 [%rd3], %r2;
END:
  st.param.b32 [result], %r3;
  ret;
}

.weak .func (.param .b32 result) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [handle];
  mov.u32 %r7, 1;
  setp.eq.u64 %p1, %rd1, 0;
  @%p1 bra END;
  bar.sync 0;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  or.b32 %r1, %r1, %r2;
  mov.u32 %r2, %tid.z;
  or.b32 %r1, %r1, %r2;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra ALL;
  membar.sys;
  ld.u64 %rd2, [%rd1];
  ld.u32 %r3, [%rd1+24];
  ld.acquire.sys.u32 %r4, [%rd2+4];
  atom.add.acq_rel.sys.u32 %r5, [%rd2], 1;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p1, %r5, %r3;
  @%p1 bra WAIT;
  st.relaxed.sys.u32 [%rd2], 0;
  atom.add.acq_rel.sys.u32 %r5, [%rd2+4], 1;
  bra ALL;
WAIT:
  ld.acquire.sys.u32 %r6, [%rd2+4];
  setp.eq.u32 %p1, %r6, %r4;
  @%p1 bra WAIT;
ALL:
  membar.sys;
  bar.sync 0;
  mov.u32 %r7, 0;
END:
  st.param.b32 [result], %r7;
  ret;
}
)";

}  // namespace

std::string joined_with_grid_groups(std::vector<std::string> modules) {
  const auto uses = [](const std::string& text) { return text.find("cudaCGGetIntrinsicHandle") != text.npos; };
  if (std::any_of(modules.begin(), modules.end(), uses)) modules.emplace(modules.begin(), kFunctions);
  return modules.size() == 1 ? std::move(modules.front()) : join(modules);
}

}  // namespace nvmlkit::ptx
