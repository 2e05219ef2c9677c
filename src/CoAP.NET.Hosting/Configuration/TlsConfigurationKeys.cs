using static CoAP.NET.Hosting.Configuration.ConfigurationValueSyntax;

namespace CoAP.NET.Hosting.Configuration;

/// <summary>The configuration keys of <see cref="CoapTlsFileOptions"/>.</summary>
internal static class TlsConfigurationKeys
{
    public static ConfigurationSectionReader<CoapTlsFileOptions> Table { get; } = new("Tls:")
    {
        { "Certificate", FilePath },
        { "Key", FilePath },
        { "Password", Text("text") },
        { "Authorities", FilePath },
        { "Crl", FilePath },
        "Revocation",
    };

    /// <summary>The keys of servers only.</summary>
    public static ConfigurationSectionReader<CoapTlsFileOptions> ServerTable { get; } = new("Tls:") { "ClientCertificates" };
}
