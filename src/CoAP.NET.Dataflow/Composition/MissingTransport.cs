namespace CoAP.NET.Composition;

/// <summary>Describes why an endpoint has no transport for a scheme, and what to do, for the developer of the application.</summary>
internal static class MissingTransport
{
    // An application that references the package has its assembly, even before its first use.
    private static bool HasDtls => Type.GetType("CoAP.NET.Dtls.CoapDtls, CoAP.NET.Dtls", throwOnError: false) is not null;

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
