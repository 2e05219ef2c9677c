using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls;

/// <summary>Selects the cipher suites that match the credentials of options.</summary>
internal static class ConfiguredCipherSuites
{
    /// <summary>The suites that the options name, or the default ones; best first.</summary>
    /// <exception cref="ArgumentException">One is unknown.</exception>
    public static IReadOnlyList<CipherSuite> Named(CoapDtlsOptions options) =>
    [
        .. (options.CipherSuites.Count > 0 ? options.CipherSuites : (IEnumerable<CoapDtlsCipherSuite>)CoapDtlsOptions.DefaultCipherSuites)
            .Distinct().Select(static suite => CipherSuite.Find((int)suite)
                ?? throw new ArgumentException(
                    $"CoapDtlsOptions.CipherSuites holds 0x{(int)suite:X4}, which this library does not offer. Use members of "
                        + "CoapDtlsCipherSuite.")),
    ];

    /// <summary>The suites that a server can use.</summary>
    public static IReadOnlyList<CipherSuite> OfServer(CoapDtlsOptions options) =>
        options.Server is not { } server
            ? []
            : [.. Named(options)
                .Where(suite => suite.UsesPreSharedKey
                    ? server.PskStore is not null
                    : server.HasOwnKey)];

    /// <summary>
    /// The suites that a client can use. With a pre-shared key, the client accepts servers with certificates only if an option concerns
    /// certificates: a client with a key expects the server to have it too.
    /// </summary>
    public static IReadOnlyList<CipherSuite> OfClient(CoapDtlsOptions options)
    {
        if (options.Client is not { } client)
        {
            return [];
        }

        bool hasKey = client.Psk is not null || client.SelectPsk is not null;
        bool takesCertificates = !hasKey
            || options.CipherSuites.Count > 0
            || client.HasOwnKey
            || client.ValidateServerPublicKey is not null
            || client.TrustedAuthorities.Count > 0
            || client.ValidateServerCertificate is not null;
        return [.. Named(options).Where(suite => suite.UsesPreSharedKey ? hasKey : takesCertificates)];
    }
}
