using System.CommandLine;
using CoAP.NET.Cli.CommandLine;

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
                candidates=("${(@f)$(coap "[suggest:${CURSOR}]" "${BUFFER}" 2>/dev/null)}")
                compadd -a candidates
                _files
            }
            compdef _coap_complete coap
            """,
        ["fish"] = """
            # coap completion for fish: coap completion fish | source
            function __coap_complete
                set -l line (commandline -cp)
                coap "[suggest:"(string length -- $line)"]" "$line" 2>/dev/null
            end
            complete -c coap -a '(__coap_complete)'
            """,
        ["pwsh"] = """
            # coap completion for PowerShell: coap completion pwsh | Out-String | Invoke-Expression
            Register-ArgumentCompleter -Native -CommandName coap -ScriptBlock {
                param($wordToComplete, $commandAst, $cursorPosition)
                coap "[suggest:$cursorPosition]" "$commandAst" 2>$null | ForEach-Object {
                    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
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
