using CoAP.NET.Dtls;
using CoAP.NET.Dtls.Files;
using CoAP.NET.Hosting.Configuration;
using Microsoft.Extensions.Configuration;
using static System.TimeSpan;
using static CoAP.NET.Hosting.Configuration.ConfigurationValueSyntax;

namespace CoAP.NET.Hosting.Dtls;

/// <summary>The keys of <see cref="CoapDtlsFileOptions"/>.</summary>
internal static class DtlsConfigurationKeys
{
    /// <summary>The section of DTLS.</summary>
    public const string Section = "Dtls";

    private static readonly ConfigurationValueSyntax s_idle = Time(FromSeconds(1), FromDays(365));

    private static readonly ConfigurationSectionReader<CoapDtlsFileOptions> s_common = new("Dtls:")
    {
        { "Certificate", FilePath },
        { "Key", FilePath },
        { "Password", Text("text") },
        { "Authorities", FilePath },
        { "Crl", FilePath },
        "Revocation",
        { "CipherSuites", Choice(typeof(CoapDtlsCipherSuite), nameof(CoapDtlsCipherSuite.None)) },
        "UseConnectionIds",
        "RequireExtendedMasterSecret",
        { "RetransmitTimeout", Time(FromMilliseconds(50), FromMinutes(1)) },
        { "HandshakeTimeout", Time(FromMilliseconds(100), FromMinutes(10)) },
        { "MaxDatagramSize", Bytes(256, 16_000) },
    };

    /// <summary>The keys of servers.</summary>
    public static ConfigurationSectionReader<HostedDtlsServerOptions> ServerTable { get; } = new("Dtls:")
    {
        { "PskFile", FilePath },
        { "PskIdentityHint", Text("text") },
        { s_common, static dtls => dtls },
        "ClientCertificates",
        { "MaxSessions", Number(1, 10_000_000) },
        { "MaxSessionsPerAddress", Number(1, 10_000_000) },
        { "MaxSessionsPerIdentity", Number(1, 10_000_000) },
        { "MaxHandshakes", Number(1, 100_000) },
        { "MaxHandshakesPerAddress", Number(1, 100_000) },
        { "SessionIdleTimeout", s_idle },
        { "Psk", static (dtls, item, _) => ReadPsk(dtls, item) },
    };

    /// <summary>The keys of clients.</summary>
    public static ConfigurationSectionReader<HostedDtlsClientOptions> ClientTable { get; } = new("Dtls:")
    {
        { "PskIdentity", Text("text") },
        { "PskKey", Text("text") },
        { s_common, static dtls => dtls },
        { "SessionIdleTimeout", s_idle },
    };

    // Reads one child of the section. Identities may have colons, which configuration treats as levels.
    private static void ReadPsk(HostedDtlsServerOptions dtls, IConfigurationSection item)
    {
        string root = item.Path[..^item.Key.Length];
        Add(item);

        void Add(IConfigurationSection section)
        {
            if (section.Value is { } key)
            {
                dtls.Psk[section.Path[root.Length..]] = key.Trim();
            }

            foreach (IConfigurationSection child in section.GetChildren())
            {
                Add(child);
            }
        }
    }
}
