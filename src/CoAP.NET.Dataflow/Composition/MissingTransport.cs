namespace CoAP.NET.Composition;

/// <summary>Describes why an endpoint has no transport for a scheme, and what to do, for the developer of the application.</summary>
internal static class MissingTransport
{
    // An application that references the package has its assembly, even before its first use.
    private static bool HasDtls => Type.GetType("CoAP.NET.Dtls.CoapDtls, CoAP.NET.Dtls", throwOnError: false) is not null;

    /// <summary>Returns the scheme that a page of a browser can use instead of one that needs sockets; null if it needs none.</summary>
    /// <param name="scheme">The scheme.</param>
    public static string? InBrowserInsteadOf(string scheme) => scheme switch
    {
        "coap" or "coap+tcp" => "coap+ws",
        "coaps" or "coaps+tcp" => "coaps+ws",
        _ => null,
    };

    /// <summary>Creates the message for a scheme that needs sockets, in a browser.</summary>
    /// <param name="scheme">The scheme.</param>
    /// <param name="other">The scheme that a page can use.</param>
    public static string DescribeInBrowser(string scheme, string other) =>
        $"A page of a browser cannot use {scheme}, because it has no sockets. Use {other} (RFC 8323 section 4): ASP.NET Core applications "
            + "serve it with MapCoapWebSocket of the package CoAP.NET.AspNetCore. Such a server can also be the forward proxy "
            + $"(CoapClient.Proxy) to devices that speak {scheme}.";

    /// <summary>Creates the message for a scheme without a transport.</summary>
    /// <param name="scheme">The scheme.</param>
    public static string Describe(string scheme) => Describe(scheme, HasDtls);

    /// <summary>Creates the message for a scheme without a transport.</summary>
    /// <param name="scheme">The scheme.</param>
    /// <param name="hasDtls">Whether the application has the package for <c>coaps</c>.</param>
    public static string Describe(string scheme, bool hasDtls) =>
        scheme != "coaps"
            ? $"This endpoint has no transport for {scheme}. Add one by AddTransport before the endpoint starts."
            : hasDtls
            ? "This endpoint has no keys for coaps. Before you create it, call UseDtls on its options with a pre-shared key or a certificate."
            : "This endpoint has no transport for coaps because the application does not reference the package CoAP.NET.Dtls. Add the "
                + "package (dotnet add package CoAP.NET.Dtls), and call UseDtls on the options of the endpoint with a pre-shared key or a "
                + "certificate.";
}
