#compdef nvmlkit
# Completion of nvmlkit for zsh. `nvmlkit complete` knows the words; this hands them over.
_nvmlkit() {
  local line value meaning kind=''
  local -a values meanings open_values
  local -a typed
  (( CURRENT > 2 )) && typed=("${(@Q)words[2,CURRENT-1]}")
  for line in "${(@f)$(${(Q)words[1]} complete -- "${(@)typed}" "${(Q)PREFIX}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    value=${line%%$'\t'*}
    meaning=${line#*$'\t'}
    if [[ $value == :* ]]; then
      kind=$value
    elif [[ $value == *[=.] ]]; then
      open_values+=("$value")
    else
      values+=("$value")
      [[ $meaning == "$value" ]] && meanings+=("$value") || meanings+=("$value  -- $meaning")
    fi
  done
  (( $#values )) && compadd -l -d meanings -- $values
  (( $#open_values )) && compadd -S '' -- $open_values
  case $kind in
    :files) compset -P '--[^=]#='; _files ;;
    :folders) compset -P '--[^=]#='; _files -/ ;;
    :programs) _command_names -e ;;
  esac
}
if [[ $funcstack[1] == _nvmlkit ]]; then _nvmlkit "$@"; else compdef _nvmlkit nvmlkit; fi
