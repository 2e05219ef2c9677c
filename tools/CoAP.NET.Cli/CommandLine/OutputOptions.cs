using System.CommandLine;
using CoAP.NET.Cli.Output;

namespace CoAP.NET.Cli.CommandLine;

internal sealed class OutputOptions
{
    public Option<string?> File { get; } = new("--output", "-o")
    {
        Description = "Write the payload to this file, block by block; - for the raw payload on the standard output.",
        HelpName = "FILE"
    };

    public Option<bool> Continue { get; } = new("--continue")
    {
        Description = "Continue an interrupted download of --output after the bytes in FILE.part. Starts again if there is no such file, "
            + "or the resource has changed.",
    };

    public Option<bool> Json { get; } = new("--json") { Description = "Write one JSON object for each response." };

    public Option<bool> Raw { get; } = new("--raw") { Description = "Write the raw payload, also to a terminal." };

    public Option<bool> Pretty { get; } = new("--pretty")
    {
        Description = "Write the payload in readable form, also when the output is redirected; binary ones as a hex dump of all bytes.",
    };

    public Option<bool> Newline { get; } = new("--newline", "-w") { Description = "Add a line feed to the payload." };

    /// <summary>Adds the options to a command.</summary>
    /// <param name="command">The command.</param>
    /// <param name="hasFile">Whether payloads can go to a file.</param>
    /// <param name="isContinuable">Whether an interrupted download can be continued.</param>
    public void AddTo(GroupedHelpCommand command, bool hasFile = true, bool isContinuable = false)
    {
        command.AddGroup(HelpGroup.Output,
            (Option[])[.. (Option[])(hasFile ? [File] : []), .. (Option[])(isContinuable ? [Continue] : []), Json, Raw, Pretty, Newline]);

        command.Validators.Add(result =>
        {
            if (((Option<bool>[])[Json, Raw, Pretty]).Count(result.GetValue) > 1)
            {
                result.AddError("--json, --raw and --pretty exclude each other.");
            }

            if (isContinuable && result.GetValue(Continue) && result.GetValue(File) is null or "-")
            {
                result.AddError("--continue is for downloads to a file: add --output FILE.");
            }
        });
    }

    public PayloadStyle StyleOf(ParseResult parse, CliContext context) =>
        parse.GetValue(Json) ? PayloadStyle.Json
        : parse.GetValue(Raw) || PathOf(parse) == "-" ? PayloadStyle.Raw
        : parse.GetValue(Pretty) || context.Out.IsTerminal ? PayloadStyle.Pretty
        : PayloadStyle.Raw;

    /// <summary>Returns the file for payloads; null for none, <c>-</c> for the standard output.</summary>
    public string? PathOf(ParseResult parse) => parse.GetResult(File) is null ? null : parse.GetValue(File);

    public bool IsContinued(ParseResult parse) => parse.GetResult(Continue) is not null && parse.GetValue(Continue);
}
