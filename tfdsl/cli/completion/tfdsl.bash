# Completion of tfdsl for bash:  source <(tfdsl completion bash)
# macOS' bash 3.2 takes it too. tfdsl says what can follow, and quotes it.

_tfdsl() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <(TFDSL_WORDBREAKS=$COMP_WORDBREAKS command tfdsl completion bash -- "$COMP_POINT" "$COMP_LINE" 2>/dev/null)
}

complete -o nospace -F _tfdsl tfdsl
