# shellcheck shell=bash disable=SC2154 # names shared with the scripts that read this file
# The Debian packages of an image.

# Debian's release of the image. The programs of the packages are built for it.
image_suite=bookworm

# Prints the names of the packages that a .deb depends on, separated by commas. The first of alternatives counts.
needed_packages() { # needed_packages DEB
  dpkg-deb --field "$1" Depends | tr ',' '\n' | sed -E 's/\|.*//; s/\(.*\)//; s/[[:space:]]//g; s/:any$//' \
    | grep -v '^$' | paste -sd ,
}

# Where apt of this machine finds the release, so that a mirror of the user is used. Nothing on other systems: mmdebstrap then
# takes Debian's own servers.
image_sources() {
  local file
  (. /etc/os-release && [[ ${VERSION_CODENAME:-} == "$image_suite" ]]) || return 0
  for file in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
    if [[ -s $file ]]; then echo "$file"; return; fi
  done
}

# Downloads the named packages and what they depend on into FOLDER.
download_packages() { # download_packages ARCHITECTURE NAMES FOLDER
  local architecture=$1 names=$2 folder=$3 sources
  mapfile -t sources < <(image_sources)
  mkdir -p "$folder"
  # mmdebstrap resolves the dependencies of any architecture and checks the signatures. Its own tree is not used: it would
  # hold files of the packages that nothing here needs.
  make_debian_tree "$folder/tree.tar" "$architecture" "$names" "${sources[@]}" 2>"$folder/mmdebstrap.log" \
    && tar -C "$folder" -xf "$folder/tree.tar" --strip-components=5 --wildcards './var/cache/apt/archives/*.deb' \
    || die "Debian's packages for $architecture cannot be had: $(tail -n 3 "$folder/mmdebstrap.log" | tr '\n' ' ')"
  rm "$folder/tree.tar"
  ls "$folder"/*.deb >/dev/null 2>&1 || die "no package was downloaded for $architecture, see $folder/mmdebstrap.log"
}
