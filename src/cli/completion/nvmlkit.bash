# shellcheck shell=bash
# Completion of nvmlkit for bash. `nvmlkit complete` knows the words; this hands them over.
_nvmlkit() {
  local line typed words=() value kind='' begin
  # COMP_WORDS is split at = and :, the line is not.
  line=${COMP_LINE:0:COMP_POINT}
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  while ((${#words[@]} > 1)) && [[ ${words[0]} != "${COMP_WORDS[0]}" ]]; do words=("${words[@]:1}"); done
  typed=${words[-1]}
  COMPREPLY=()
  # bash replaces only what stands behind the last = or :.
  begin=''
  if [[ $typed == *[=:]* && $COMP_WORDBREAKS == *[=:]* ]]; then begin=${typed%"${typed##*[=:]}"}; fi
  while IFS=$'\t' read -r value _; do
    case $value in
      :*) kind=$value ;;
      *) COMPREPLY+=("${value#"$begin"}") ;;
    esac
    if [[ $value == *[=.] ]]; then compopt -o nospace 2>/dev/null; fi
  done < <("${COMP_WORDS[0]}" complete -- "${words[@]:1}" 2>/dev/null)
  typed=${typed#"$begin"}
  case $kind in
    :files) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$typed"); compopt -o filenames 2>/dev/null ;;
    :folders) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$typed"); compopt -o filenames 2>/dev/null ;;
    :programs) mapfile -t COMPREPLY < <(compgen -c -- "$typed") ;;
  esac
}
complete -F _nvmlkit nvmlkit
