# Completion of tfdsl for fish:  tfdsl completion fish | source
# or once:                       tfdsl completion fish > ~/.config/fish/completions/tfdsl.fish
# tfdsl says what can follow.

function __tfdsl_tokens
    # fish before 4 calls it --tokenize
    commandline --tokens-expanded --current-process $argv 2>/dev/null
    or commandline --tokenize --current-process $argv
end

function __tfdsl_complete
    command --query tfdsl
    or return
    set -l before (__tfdsl_tokens --cut-at-cursor)
    set -l all (__tfdsl_tokens)
    set -l current (commandline --current-token --cut-at-cursor | string unescape --no-quoted 2>/dev/null)
    set -l next (math (count $before) + 1)
    test -n (commandline --current-token | string collect)
    and set next (math $next + 1)
    set -l after
    test $next -le (count $all)
    and set after $all[$next..]
    command tfdsl completion fish -- (math (count $before) - 1) $before[2..] "$current" $after 2>/dev/null
end

complete --command tfdsl --no-files --arguments '(__tfdsl_complete)'
