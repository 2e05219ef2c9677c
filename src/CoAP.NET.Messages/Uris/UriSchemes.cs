using System.Collections.Concurrent;

namespace CoAP.NET.Uris;

/// <summary>The schemes of CoAP (RFC 7252 section 6, RFC 8323 section 8), and those of transports of the application.</summary>
internal static class UriSchemes
{
    // For the process, as UriParser.Register: a URI is parsed before anybody knows its endpoint.
    private static readonly ConcurrentDictionary<string, int> s_registered = new(StringComparer.Ordinal);

    /// <summary>Gets the default port of a scheme.</summary>
    /// <param name="scheme">The scheme, in lower case.</param>
    /// <param name="port">The port; -1 for another scheme.</param>
    /// <returns>Whether the scheme is a CoAP scheme.</returns>
    public static bool TryGetDefaultPort(string scheme, out int port)
    {
        port = scheme switch
        {
            "coap" or "coap+tcp" => 5683,
            "coaps" or "coaps+tcp" => 5684,
            "coap+ws" => 80,
            "coaps+ws" => 443,
            _ => s_registered.GetValueOrDefault(scheme, -1),
        };
        return port >= 0;
    }

    /// <summary>Registers the scheme of a transport. Does nothing for a known scheme.</summary>
    /// <param name="scheme">The scheme.</param>
    /// <param name="defaultPort">The default port of the scheme, 1 to 65,535.</param>
    /// <exception cref="ArgumentException">
    /// The text is no scheme in lower case (RFC 3986 section 3.1), or the port is out of range.
    /// </exception>
    /// <exception cref="InvalidOperationException">The scheme is registered with another port.</exception>
    public static void Register(string scheme, int defaultPort)
    {
        if (TryGetDefaultPort(scheme, out int known))
        {
            if (known != defaultPort && s_registered.ContainsKey(scheme))
            {
                throw new InvalidOperationException(
                    $"The scheme '{scheme}' is registered with the default port {known}, and now with {defaultPort}. Use one port for it.");
            }

            return;
        }

        if (!Uri.CheckSchemeName(scheme) || scheme.Any(char.IsAsciiLetterUpper))
        {
            throw new ArgumentException(
                $"'{scheme}' is not a scheme of a URI (RFC 3986 section 3.1). Use lower-case letters, digits, '+', '-' and '.'.",
                    nameof(scheme));
        }

        if (defaultPort is < 1 or > ushort.MaxValue)
        {
            throw new ArgumentException($"The default port of '{scheme}' must be 1 to 65,535, not {defaultPort}.", nameof(defaultPort));
        }

        s_registered.TryAdd(scheme, defaultPort);
    }

    public static UriFault Unknown(string scheme) =>
        new(0, $"The scheme '{scheme}' is not a CoAP scheme. Use coap, coaps, coap+tcp, coaps+tcp, coap+ws or coaps+ws, or the scheme of "
            + "a transport that was added to an endpoint.");
}
