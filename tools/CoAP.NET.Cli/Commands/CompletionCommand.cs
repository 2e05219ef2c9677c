using System.CommandLine;

namespace CoAP.NET.Cli.Commands;

/// <summary>
/// Prints scripts that make shells complete command lines of the tool, by calling it: <c>coap "[suggest:POSITION]" "LINE"</c>.
/// </summary>
internal static class CompletionCommand
{
    private static readonly Dictionary<string, string> s_scripts = new()
    {
        ["bash"] = """
            # coap completion for bash: eval "$(coap completion bash)"
            _coap_complete()
            {
                local line="${COMP_LINE:0:COMP_POINT}" breaks="" known="" option="" candidate
                local word="${line##*[[:space:]]}"
                # Bash replaces the text after the last colon or equals sign of a word.
                [[ ${COMP_WORDBREAKS} == *:* ]] && breaks+=":"
                [[ ${COMP_WORDBREAKS} == *=* ]] && breaks+="="
                [[ -n ${breaks} && ${word} == *[${breaks}]* ]] && known="${word%"${word##*[${breaks}]}"}"
                if [[ ${word} == --*=* ]]; then
                    option="${word%%=*}="
                    line="${line%"${word}"}${word%%=*} ${word#*=}"
                fi
                COMPREPLY=()
                while IFS= read -r candidate; do
                    candidate="${option}${candidate%$'\r'}"
                    [[ ${candidate} == "${word}"* ]] && COMPREPLY+=("${candidate#"${known}"}")
                done < <(coap "[suggest:${#line}]" "${line}" 2>/dev/null)
                # More text follows these.
                [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=/] ]] && compopt -o nospace 2>/dev/null
                return 0
            }
            complete -o bashdefault -o default -F _coap_complete coap
            """,
        ["zsh"] = """
            # coap completion for zsh: eval "$(coap completion zsh)"
            _coap_complete()
            {
                local -a candidates
                local line option missing=1
                # The tool takes the value of --option=value as a word of its own.
                if [[ ${PREFIX} == --*=* ]]; then
                    option="${PREFIX%%=*} "
                    compset -P 1 '*='
                fi
                # The words of this command only: others may stand before it on the line.
                line="${(j: :)words[1,CURRENT-1]} ${option}${PREFIX}"
                candidates=(${(f)"$(coap "[suggest:${#line}]" "${line}" 2>/dev/null)"})
                # More text follows those that end with an equals sign or a slash.
                compadd -S '' -- ${(M)candidates:#*[=/]} && missing=0
                compadd -- ${candidates:#*[=/]} && missing=0
                (( missing )) && _files && missing=0
                return missing
            }
            compdef _coap_complete coap
            """,
        ["fish"] = """
            # coap completion for fish: coap completion fish | source
            function __coap_complete
                set -l line (commandline -cp | string collect)
                set -l word (commandline -ct)
                set -l option ''
                # The tool takes the value of --option=value as a word of its own.
                if string match -q -- '--*=*' "$word"
                    set option (string replace -r '=.*' '=' -- $word)
                    set line (string replace -r '=(\S*)$' ' $1' -- $line)
                end
                set -g __coap_candidates $option(coap "[suggest:"(string length -- "$line")"]" "$line" 2>/dev/null | string match -r '.+')
                set -q __coap_candidates[1]
            end
            # Files, where the tool has no candidates.
            complete -c coap -n __coap_complete -f -a '$__coap_candidates'
            """,
        ["pwsh"] = """
            # coap completion for PowerShell: coap completion pwsh | Out-String | Invoke-Expression
            Register-ArgumentCompleter -Native -CommandName coap -ScriptBlock {
                param($wordToComplete, $commandAst, $cursorPosition)
                # The position counts from the start of the line, where other commands may stand.
                $length = $cursorPosition - $commandAst.Extent.StartOffset
                $line = "$commandAst".PadRight($length).Substring(0, $length)
                $word = $line -replace '^.*\s', ''
                $option = ''
                # The tool takes the value of --option=value as a word of its own.
                if ($word -match '^(--[^=]+)=(.*)$') {
                    $option = $Matches[1] + '='
                    $line = $line.Substring(0, $length - $word.Length) + $Matches[1] + ' ' + $Matches[2]
                }
                coap "[suggest:$($line.Length)]" $line 2>$null | Where-Object { $_ } | ForEach-Object { "$option$_" } |
                    Where-Object { $_.StartsWith($word) } | ForEach-Object {
                        $text = if ($_ -match '[;"]') { "'$_'" } else { $_ }
                        [System.Management.Automation.CompletionResult]::new($text, $_, 'ParameterValue', $_)
                    }
            }
            """,
    };

    internal static Command Create(CliContext context)
    {
        Argument<string> shell = new("SHELL") { Description = "bash, zsh, fish or pwsh." };
        shell.AcceptOnlyFromAmong([.. s_scripts.Keys]);
        Command command = new("completion", "Print the script that makes a shell complete the words of this tool.") { shell };
        return command.Runs(context, (parse, _) =>
        {
            context.Out.Writer.WriteLine(s_scripts[parse.GetRequiredValue(shell)].ReplaceLineEndings("\n"));
            return Task.FromResult(ExitCodes.Success);
        });
    }
}
