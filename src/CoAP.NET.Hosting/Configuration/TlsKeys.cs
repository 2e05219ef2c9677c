using static CoAP.NET.Hosting.ValueSyntax;

namespace CoAP.NET.Hosting;

/// <summary>The keys of <see cref="CoapTlsFileOptions"/>.</summary>
internal static class TlsKeys
{
    /// <summary>The keys of servers and clients.</summary>
    public static KeyTable<CoapTlsFileOptions> Table { get; } = new("Tls:")
    {
        { "Certificate", FilePath },
        { "Key", FilePath },
        { "Password", Text("text") },
        { "Authorities", FilePath },
        { "Crl", FilePath },
        "Revocation",
    };

    /// <summary>The keys of servers only.</summary>
    public static KeyTable<CoapTlsFileOptions> ServerTable { get; } = new("Tls:") { "ClientCertificates" };
}
