using System.Globalization;
using CoAP.NET.Content;

namespace CoAP.NET.Cli.Output;

/// <summary>Formats an error response: one sentence with the server's explanation, and a hint.</summary>
internal static class ErrorAnswer
{
    /// <summary>Writes the sentence and the hint to the error stream.</summary>
    /// <param name="context">The streams.</param>
    /// <param name="response">The response, of class 4.xx or 5.xx.</param>
    /// <param name="uri">The requested URI.</param>
    /// <param name="notFoundHint">The hint for a missing resource; null for the default.</param>
    /// <param name="proxy">The proxy of the request; null for none.</param>
    public static void Write(CliContext context, CoapResponse response, string uri, string? notFoundHint = null, CoapUri? proxy = null)
    {
        string reason = ReasonOf(response);
        string? hint = response.Code == CoapCode.NotFound && notFoundHint is not null ? notFoundHint
            : proxy is null ? HintFor(response, uri) : HintFor(response, uri, proxy);
        string who = proxy is null ? uri : $"{uri} through {proxy.Scheme}://{proxy.Authority}";
        FailureReporter.Write(context, $"{who} answered {response.Code}{(reason.Length > 0 ? $": {reason}" : "")}", hint);
    }

    /// <summary>Whether the payload is a diagnostic text, which the sentence contains completely (RFC 7252 section 5.5.2).</summary>
    public static bool IsDiagnostic(CoapResponse response) => response.Code.IsError && response.ContentFormat is null;

    /// <summary>Returns the problem details besides title and detail, line by line; empty for none.</summary>
    public static IEnumerable<string> FurtherDetailsOf(CoapProblem problem, CoapCode code)
    {
        bool hasText = problem.Title is not null || problem.Detail is not null;
        if (hasText && problem.Instance is { } instance)
        {
            yield return $"instance: {instance}";
        }

        if (problem.BaseUri is { } baseUri)
        {
            yield return $"base URI: {baseUri}";
        }

        if (problem.ResponseCode is { } origin && origin != code)
        {
            yield return $"response code of the origin server: {origin}";
        }

        if (problem.UnprocessedOptions.Count > 0)
        {
            yield return $"unprocessed options: {string.Join(", ", problem.UnprocessedOptions.Select(NameOf))}";
        }

        foreach ((long key, ReadOnlyMemory<byte> value) in problem.Entries)
        {
            yield return string.Create(CultureInfo.InvariantCulture, $"{key}: {Diagnose(value)}");
        }

        foreach ((string key, ReadOnlyMemory<byte> value) in problem.NamedEntries)
        {
            yield return $"{key}: {Diagnose(value)}";
        }
    }

    private static string ReasonOf(CoapResponse response)
    {
        if (response.TryReadProblem(out CoapProblem? problem))
        {
            // A title that only repeats the code adds nothing.
            bool isCode = string.Equals(problem.Title, response.Code.Name, StringComparison.OrdinalIgnoreCase);
            return !isCode ? problem.ToString() : problem.Detail ?? "";
        }

        return IsDiagnostic(response) && TextSanitizer.IsText(response.Payload.Span, CoapContentFormat.TextPlain) ? response.GetText() : "";
    }

    private static string NameOf(int option) => CoapOptionRegistry.Default.Find(CoapCode.Get, option) is { } known
        ? known.Definition.Name
        : option.ToString(CultureInfo.InvariantCulture);

    private static string Diagnose(ReadOnlyMemory<byte> item) =>
        CoapCborNotation.TryFormat(item.Span, out string text, out _) ? text : Convert.ToHexStringLower(item.Span);

    // A proxy also answers for itself, and only the proxy sees the client's identity.
    private static string? HintFor(CoapResponse response, string uri, CoapUri proxy) => response.Code.ToString()[..4] switch
    {
        "4.01" => $"The server, or the proxy {proxy.Scheme}://{proxy.Authority}, requires an identity: {IdentityHintFor(proxy.Scheme)}",
        "4.02" => "The proxy or the server does not know a critical option; -v shows the options.",
        "4.04" when !TargetArgument.IsHttp(uri) =>
            $"coap discover {CoapUri.OriginOf(uri)} --proxy {proxy.Scheme}://{proxy.Authority} lists the resources of the server.",
        "5.02" => "The proxy does not reach the server, or does not understand its answer.",
        "5.04" => "The server gave the proxy no answer in time.",
        "5.05" => "The proxy does not allow that server: its operator configures the allowed targets, as coap proxy does by --allow and "
            + "--http.",
        "4.04" => null,
        "5.08" => "Proxies forward it in a loop, or there are more of them than --hop-limit allows.",
        _ => HintFor(response, uri),
    };

    private static string? HintFor(CoapResponse response, string uri) => response.Code.ToString()[..4] switch
    {
        "4.01" => (IsSecured(uri) ? "The server does not allow this identity: " : "The server requires an identity: ")
            + IdentityHintFor(SchemeOf(uri)),
        "4.02" => "The server does not know a critical option; -v shows the options.",
        "4.04" => $"coap discover {CoapUri.OriginOf(uri)} lists the resources of the server.",
        "4.05" => "The resource does not support this method.",
        "4.06" => "The server does not have the format of --accept; leave it out to get the available one.",
        "4.12" => "The condition of --if-match or --if-none-match is false: the resource has changed in the meantime, or already exists.",
        "4.13" => response.Options.Size1 is { } size ? $"The server accepts at most {size} B."
            : "The server does not accept a payload of this size.",
        "4.15" => "The server does not accept this --content-format.",
        "4.29" or "5.03" when response.Options.Contains(OptionNumber.MaxAge) => $"Try again in {response.MaxAge.TotalSeconds:0} s.",
        _ => null,
    };

    private static string SchemeOf(string uri) => uri.Split("://", 2)[0].ToLowerInvariant();

    private static bool IsSecured(string uri) => SchemeOf(uri).StartsWith("coaps", StringComparison.Ordinal);

    // The proof of an identity depends on the scheme: over plain ones it is OSCORE.
    private static string IdentityHintFor(string scheme) => scheme switch
    {
        "coap" => "use coaps:// with --psk ID:KEY, or with --cert FILE and --key FILE; or --oscore FILE or --edhoc FILE.",
        "coap+tcp" => "use coaps+tcp:// with --cert FILE and --key FILE, or coaps:// with --psk ID:KEY; or --oscore FILE or --edhoc FILE.",
        "coap+ws" => "use coaps+ws:// with --cert FILE and --key FILE; or --oscore FILE or --edhoc FILE.",
        "coaps" => "--psk ID:KEY, or --cert FILE and --key FILE, present another one.",
        _ => "--cert FILE and --key FILE present another one.",
    };
}
