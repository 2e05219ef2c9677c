using System.CommandLine;
using System.CommandLine.Parsing;

namespace CoAP.NET.Cli;

/// <summary>
/// <c>--retransmission-timing NAME</c>: how long a Confirmable message waits for its acknowledgement, by the names of
/// <see cref="CoapRetransmissionAlgorithm"/>.
/// </summary>
internal static class RetransmissionTimingOption
{
#pragma warning disable CA1308 // names on the command line are in lower case
    private static readonly string[] s_names = [.. Enum.GetNames<CoapRetransmissionAlgorithm>().Select(name => name.ToLowerInvariant())];
#pragma warning restore CA1308

    public static Option<CoapRetransmissionAlgorithm?> Create()
    {
        Option<CoapRetransmissionAlgorithm?> option = new("--retransmission-timing")
        {
            Description = "The time before a retransmission: default (fixed, but measured for the blocks of a body), rfc7252 (fixed), or "
                + "fasor (measured for all messages). On links that lose messages fasor is much faster.",
            HelpName = "NAME",
            CustomParser = Parse,
        };
        option.CompletionSources.Add(s_names);
        return option;
    }

    private static CoapRetransmissionAlgorithm? Parse(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        if (s_names.Contains(text, StringComparer.OrdinalIgnoreCase))
        {
            return Enum.Parse<CoapRetransmissionAlgorithm>(text, ignoreCase: true);
        }

        result.AddError($"'{text}' is not a retransmission timing. Write {string.Join(", ", s_names[..^1])} or {s_names[^1]}.");
        return null;
    }
}
