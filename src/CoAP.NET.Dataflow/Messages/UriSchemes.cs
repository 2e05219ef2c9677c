namespace CoAP.NET.Messages;

/// <summary>The schemes of CoAP (RFC 7252 section 6, RFC 8323 section 8).</summary>
internal static class UriSchemes
{
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
            _ => -1,
        };
        return port >= 0;
    }

    /// <summary>Returns the error for another scheme.</summary>
    /// <param name="scheme">The scheme.</param>
    public static UriFault Unknown(string scheme) =>
        new(0, $"The scheme '{scheme}' is not a CoAP scheme. Use coap, coaps, coap+tcp, coaps+tcp, coap+ws or coaps+ws.");
}
