namespace CoAP.NET.Composition;

/// <summary>Describes why an endpoint has no transport for a scheme, and what to do, for the developer of the application.</summary>
internal static class MissingTransportMessage
{
    public const string NoKeys = "coaps needs keys, but none are set.";

    /// <summary>What is missing, and what to do, when an endpoint without keys listens on <c>coaps</c>.</summary>
    public const string KeysToListen =
        NoKeys + " Call ListenSecure in place of Listen, with UsePsk or UsePskFile for pre-shared keys, or UseCertificate for a "
            + "certificate.";

    /// <summary>What is missing, and what to do, when an endpoint without keys sends a request to <c>coaps</c>.</summary>
    public const string KeysToSend =
        NoKeys + " On the options of the endpoint, call UsePsk for a pre-shared key, or TrustAuthorities or UseCertificate for "
            + "certificates, before you create it.";

    // An application that references the package has its assembly, even before its first use.
    private static bool HasDtls => Type.GetType("CoAP.NET.Dtls.CoapDtls, CoAP.NET.Dtls", throwOnError: false) is not null;

    /// <summary>Returns the scheme that a page of a browser can use instead of one that needs sockets; null if it needs none.</summary>
    public static string? InBrowserInsteadOf(string scheme) => scheme switch
    {
        "coap" or "coap+tcp" => "coap+ws",
        "coaps" or "coaps+tcp" => "coaps+ws",
        _ => null,
    };

    /// <summary>Creates the message for a scheme that needs sockets, in a browser.</summary>
    public static string DescribeInBrowser(string scheme, string other) =>
        $"A page of a browser cannot use {scheme}, because it has no sockets. Use {other} (RFC 8323 section 4): ASP.NET Core applications "
            + "serve it with MapCoapWebSocket of the package CoAP.NET.AspNetCore. Such a server can also be the forward proxy "
            + $"(CoapClient.Proxy) to devices that speak {scheme}.";

    /// <summary>Creates the message for a request to a scheme without a transport.</summary>
    public static string Describe(string scheme) => Describe(scheme, HasDtls, listens: false);

    /// <summary>Creates the message for an address to listen on whose scheme has no transport.</summary>
    public static string DescribeListening(string scheme) => Describe(scheme, HasDtls, listens: true);

    /// <summary>Creates the message for a scheme without a transport.</summary>
    /// <param name="scheme">The scheme.</param>
    /// <param name="hasDtls">Whether the application has the package for <c>coaps</c>.</param>
    /// <param name="listens">Whether the endpoint is to listen, and not to send a request.</param>
    public static string Describe(string scheme, bool hasDtls, bool listens)
    {
        if (scheme != "coaps")
        {
            return $"This endpoint has no transport for {scheme}. Add one with AddTransport before the endpoint starts.";
        }

        string keys = listens ? KeysToListen : KeysToSend;
        return hasDtls
            ? keys
            : "The application does not reference the package CoAP.NET.Dtls. Add it (dotnet add package CoAP.NET.Dtls). " + keys;
    }
}
