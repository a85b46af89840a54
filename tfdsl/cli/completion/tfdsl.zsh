#compdef tfdsl
# Completion of tfdsl for zsh:  source <(tfdsl completion zsh)
# or, in a folder of $fpath:    tfdsl completion zsh > _tfdsl
# tfdsl says what can follow; files are found by zsh itself.

_tfdsl() {
  local line
  local -a part typed words_done shown_done words_open shown_open
  typed=("${(@Q)words[2,-1]}")
  typed[CURRENT-1]=${(Q)PREFIX}
  for line in "${(@f)$(command tfdsl completion zsh -- $((CURRENT - 2)) "${typed[@]}" 2>/dev/null)}"; do
    part=("${(@ps:\t:)line}")
    case $part[1] in
      word) words_done+=("$part[2]"); shown_done+=("$part[3]") ;;
      open) words_open+=("$part[2]"); shown_open+=("$part[3]") ;;
      files) compset -p ${#part[2]}; _files -g "$part[3]" ;;
      folders) compset -p ${#part[2]}; _files -/ ;;
    esac
  done
  (( $#words_done )) && compadd -l -d shown_done -a words_done
  (( $#words_open )) && compadd -l -S '' -d shown_open -a words_open
  return 0
}

if [[ $funcstack[1] = _tfdsl ]]; then
  _tfdsl "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }
  compdef _tfdsl tfdsl
fi
