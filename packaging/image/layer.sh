# shellcheck shell=bash
# A layer of an image: a tar file that depends only on the content of its files.

# What no program in a container reads. Copyright and license files stay.
image_left_out=(
  'usr/share/man' 'usr/share/locale' 'usr/share/lintian' 'usr/share/gcc' 'usr/share/gdb' 'usr/share/bash-completion'
  'usr/share/zsh' 'usr/share/fish' 'usr/lib/cmake' 'usr/lib/*/cmake' 'usr/lib/*/gconv' 'usr/lib/*/audit' 'usr/lib/*/perl*' 'lib/*/libmemusage.so'
  'lib/*/libpcprofile.so' 'lib/*/libc_malloc_debug.so.0' 'lib/*/libnss_hesiod.so.2' 'lib/*/libthread_db.so.1'
)

# Puts the content of packages into FOLDER, and the record of each package where scanners of images read it.
put_packages() { # put_packages FOLDER DEB...
  local folder=$1 deb pattern
  shift
  for deb in "$@"; do
    dpkg-deb --extract "$deb" "$folder"
    mkdir -p "$folder/var/lib/dpkg/status.d"
    dpkg-deb --field "$deb" >"$folder/var/lib/dpkg/status.d/$(dpkg-deb --field "$deb" Package)"
  done
  for pattern in "${image_left_out[@]}"; do
    # shellcheck disable=SC2086 # a pattern
    (cd "$folder" && rm -rf $pattern)
  done
  # Documents stay in the packages; a copyright file may be a link to the folder of another package.
  find "$folder/usr/share/doc" -mindepth 2 ! -type d ! -name copyright ! -iname '*license*' -delete 2>/dev/null || true
  find "$folder" -mindepth 1 -type d -empty -delete
}

# Writes FOLDER, or what is named in it, as FILE. SOURCE_DATE_EPOCH is the time of every file that is newer.
write_layer() { # write_layer FOLDER FILE [NAME...]
  local folder=$1 file=$2
  shift 2
  tar --create --file "$file" --directory "$folder" --sort=name --format=posix \
    --pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime --mtime="@$SOURCE_DATE_EPOCH" --clamp-mtime \
    --owner=0 --group=0 --numeric-owner "${@:-.}"
}
