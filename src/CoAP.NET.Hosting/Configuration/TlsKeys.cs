using static CoAP.NET.Hosting.ValueSyntax;

namespace CoAP.NET.Hosting;

internal static class TlsKeys
{
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
