using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace CoAP.NET.Requests;

/// <summary>Determines the resource of a request: from its options, and for a request to send from its URI.</summary>
internal static class RequestTargetResolver
{
    /// <summary>Returns the URI whose path and query are added when a request is sent. A URI without a host is relative to any.</summary>
    /// <param name="message">The message of the request.</param>
    /// <param name="uri">The URI of the request; null for none.</param>
    /// <returns>The URI; null if the options are complete.</returns>
    /// <exception cref="CoapFormatException">The URI is of another scheme.</exception>
    public static CoapUri? ToSend(CoapMessage message, CoapUri? uri)
    {
        if (uri is null || (message.HasOptions && message.Options.Contains(OptionNumber.ProxyUri)))
        {
            return null;
        }

        return uri.IsCoap ? uri : uri.AtAnyHost ?? CoapUri.Parse(uri.ToString());
    }

    /// <summary>The absolute path, decoded.</summary>
    /// <param name="message">The message of the request.</param>
    /// <param name="uri">The URI that is added when it is sent; null for none.</param>
    public static string PathOf(CoapMessage message, CoapUri? uri)
    {
        StringBuilder path = new();
        if (message.HasOptions)
        {
            foreach (string segment in message.Options.UriPath)
            {
                path.Append('/').Append(segment);
            }
        }

        foreach (string segment in uri?.PathSegments ?? [])
        {
            path.Append('/').Append(segment);
        }

        return path.Length == 0 ? "/" : path.ToString();
    }

    /// <summary>The arguments of the query, decoded.</summary>
    /// <param name="message">The message of the request.</param>
    /// <param name="uri">The URI that is added when it is sent; null for none.</param>
    /// <exception cref="CoapFormatException">While enumerating: the URI is of another scheme.</exception>
    public static IEnumerable<string> QueriesOf(CoapMessage message, CoapUri? uri)
    {
        foreach (string argument in message.OptionsToRead?.UriQuery ?? [])
        {
            yield return argument;
        }

        foreach (string argument in ToSend(message, uri)?.QueryArguments ?? [])
        {
            yield return argument;
        }
    }

    /// <summary>The Content-Format in an option; null if the option is absent or its number too large.</summary>
    public static CoapContentFormat? FormatOf(CoapOptionCollection options, int number) =>
        options.TryGetUInt(number, out uint value) && value <= ushort.MaxValue ? new CoapContentFormat((ushort)value) : null;

    /// <summary>The value of the first argument with a name; see <see cref="CoapRequestContext.TryGetQuery"/>.</summary>
    /// <returns>Whether there is such an argument.</returns>
    public static bool TryGetQuery(IEnumerable<string> queries, string name, [NotNullWhen(true)] out string? value)
    {
        foreach (string query in queries)
        {
            if (query.StartsWith(name, StringComparison.Ordinal) && (query.Length == name.Length || query[name.Length] == '='))
            {
                value = query.Length == name.Length ? string.Empty : query[(name.Length + 1)..];
                return true;
            }
        }

        value = null;
        return false;
    }
}
