using System.CommandLine;
using System.CommandLine.Parsing;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>The URI that a command is about.</summary>
internal static class TargetArgument
{
    private const string Name = "URI";
    private const string SchemeHint =
        "Write coap://host[:port]/path; coaps://, coap+tcp://, coaps+tcp://, coap+ws:// and coaps+ws:// do as well.";

    private const string HttpHint =
        SchemeHint + " A server of HTTP is asked through a proxy that speaks both: --proxy coap://gateway.";

    /// <summary>What URIs begin with.</summary>
    public static string[] Schemes { get; } = ["coap://", "coaps://", "coap+tcp://", "coaps+tcp://", "coap+ws://", "coaps+ws://"];

    /// <summary>Makes the argument. A host without a scheme is taken for one of <c>coap</c>.</summary>
    public static Argument<string> Create(
        string description = "What to ask: coap://, coaps://, coap+tcp://, coaps+tcp://, coap+ws:// or coaps+ws://. Without a scheme "
            + "coap:// is meant.")
    {
        Argument<string> argument = new(Name) { Description = description, HelpName = Name, CustomParser = Parse };
        argument.CompletionSources.Add(Schemes);
        return argument;
    }

    /// <summary>The URI of a text, with a scheme.</summary>
    /// <exception cref="UsageException">It is none.</exception>
    public static CoapUri Check(string text) => CoapUri.TryParse(Complete(text), out CoapUri? uri, out string? error)
        ? uri
        : throw new UsageException(error, HasKnownScheme(Complete(text)) ? null : IsHttp(text) ? HttpHint : SchemeHint);

    /// <summary>Whether a text is a URI of HTTP, which a proxy may be asked for.</summary>
    public static bool IsHttp(string text) =>
        text.StartsWith("http://", StringComparison.OrdinalIgnoreCase) || text.StartsWith("https://", StringComparison.OrdinalIgnoreCase);

    /// <summary>Puts <c>coap://</c> in front of a text without a scheme.</summary>
    public static string Complete(string text) => text.Contains("://", StringComparison.Ordinal) ? text : $"coap://{text}";

    /// <summary>The URI of a command line as it was written; null for a command without one.</summary>
    public static string? TextOf(ParseResult parse) =>
        parse.CommandResult.Command.Arguments.FirstOrDefault(argument => argument.Name == Name) is { } target
            && parse.GetResult(target) is { Tokens: [{ Value: var text }] } ? text : null;

    private static bool HasKnownScheme(string text) => Schemes.Any(scheme => text.StartsWith(scheme, StringComparison.OrdinalIgnoreCase));

    private static string? Parse(ArgumentResult result)
    {
        string text = Complete(result.Tokens[0].Value);

        // Whether there is a proxy for it shows later.
        if (!IsHttp(text) && !CoapUri.TryParse(text, out CoapUri? _, out string? error))
        {
            result.AddError(HasKnownScheme(text) ? error : $"{error} {SchemeHint}");
        }

        return text;
    }
}
