// A plugin of qemu-user that counts the instructions of a program, for a processor that is not there. Its use:
//
//   flags="$(pkg-config --cflags glib-2.0) -I QEMU_SOURCE/include/qemu"
//   gcc -O2 -shared -fPIC $flags bench/speed/instructions.c -o instructions.so
//
//   NVMLKIT_SPEED_COUNT=/tmp/count qemu-aarch64 -plugin instructions.so nvmlkit_speed_bench
//
// The count lies in that file. nvmlkit_speed_bench reads it in place of the clock: a nanosecond stands for an
// instruction. qemu has to be configured with --enable-plugins; Debian's is not. Threads do not wait for each other:
// counts are right with one (NVMLKIT_CUDA_THREADS=1).
#include <fcntl.h>
#include <qemu-plugin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static uint64_t* count;

static void count_block(qemu_plugin_id_t id, struct qemu_plugin_tb* block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, count, qemu_plugin_tb_n_insns(block));
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc, char** argv) {
  (void)info, (void)argc, (void)argv;
  const char* const path = getenv("NVMLKIT_SPEED_COUNT");
  const int file = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
  if (file < 0 || ftruncate(file, sizeof *count) != 0) {
    fprintf(stderr, "instructions: NVMLKIT_SPEED_COUNT has to name a file that can be written\n");
    return 1;
  }
  count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (count == MAP_FAILED) {
    perror("instructions: mmap");
    return 1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, count_block);
  return 0;
}
