using System.CommandLine;
using System.CommandLine.Parsing;

namespace CoAP.NET.Cli;

internal static class TargetArgument
{
    private const string Name = "URI";
    private const string SchemeHint =
        "Write coap://host[:port]/path; coaps://, coap+tcp://, coaps+tcp://, coap+ws:// and coaps+ws:// also work.";

    private const string HttpHint =
        SchemeHint + " Use a proxy that speaks both for an HTTP server: --proxy coap://gateway.";

    /// <summary>The prefixes of URIs.</summary>
    public static string[] Schemes { get; } = ["coap://", "coaps://", "coap+tcp://", "coaps+tcp://", "coap+ws://", "coaps+ws://"];

    /// <summary>Creates the argument. The default scheme of a host is <c>coap</c>.</summary>
    public static Argument<string> Create(
        string description = "The target: coap://, coaps://, coap+tcp://, coaps+tcp://, coap+ws:// or coaps+ws://. Default scheme: "
            + "coap://.")
    {
        Argument<string> argument = new(Name) { Description = description, HelpName = Name, CustomParser = Parse };
        argument.CompletionSources.Add(Schemes);
        return argument;
    }

    /// <summary>Returns the URI of a text, with a scheme.</summary>
    /// <exception cref="UsageException">The text is invalid.</exception>
    public static CoapUri Check(string text) => CoapUri.TryParse(Complete(text), out CoapUri? uri, out string? error)
        ? uri
        : throw new UsageException(error, HasKnownScheme(Complete(text)) ? null : IsHttp(text) ? HttpHint : SchemeHint);

    /// <summary>Whether a text is an HTTP URI, which a proxy may support.</summary>
    public static bool IsHttp(string text) =>
        text.StartsWith("http://", StringComparison.OrdinalIgnoreCase) || text.StartsWith("https://", StringComparison.OrdinalIgnoreCase);

    /// <summary>Adds <c>coap://</c> to a text without a scheme.</summary>
    public static string Complete(string text) => text.Contains("://", StringComparison.Ordinal) ? text : $"coap://{text}";

    /// <summary>Returns the URI as in the command line; null for a command without one.</summary>
    public static string? TextOf(ParseResult parse) =>
        parse.CommandResult.Command.Arguments.FirstOrDefault(argument => argument.Name == Name) is { } target
            && parse.GetResult(target) is { Tokens: [{ Value: var text }] } ? text : null;

    private static bool HasKnownScheme(string text) => Schemes.Any(scheme => text.StartsWith(scheme, StringComparison.OrdinalIgnoreCase));

    private static string? Parse(ArgumentResult result)
    {
        string text = Complete(result.Tokens[0].Value);

        // A later check finds out whether there is a proxy for it.
        if (!IsHttp(text) && !CoapUri.TryParse(text, out CoapUri? _, out string? error))
        {
            result.AddError(HasKnownScheme(text) ? error : $"{error} {SchemeHint}");
        }

        return text;
    }
}
