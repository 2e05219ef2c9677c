using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls;
using Microsoft.Extensions.Configuration;

namespace CoAP.NET.Hosting;

/// <summary>The keys of <see cref="CoapDtlsFileOptions"/>.</summary>
internal static class DtlsKeys
{
    /// <summary>The section of DTLS.</summary>
    public const string Section = "Dtls";

    /// <summary>The section with a key for each identity.</summary>
    private const string Psk = "Dtls:Psk";

    private static readonly TextKind<string> s_path = new("path of a file", static text => text);
    private static readonly TextKind<string> s_text = new("text", static text => text);

    /// <summary>The keys of servers.</summary>
    public static KeyTable<CoapDtlsServerFileOptions> ServerTable { get; } = new KeyTable<CoapDtlsServerFileOptions>()
        .Text("Dtls:PskFile", s_path, static dtls => dtls.PskFile, static (dtls, value) => dtls.PskFile = value)
        .Text("Dtls:PskIdentityHint", s_text, static dtls => dtls.PskIdentityHint, static (dtls, value) => dtls.PskIdentityHint = value)
        .Include(Common(), static dtls => dtls)
        .Choice<CoapClientCertificateMode>("Dtls:ClientCertificates", static dtls => dtls.ClientCertificates,
            static (dtls, value) => dtls.ClientCertificates = value)
        .Number("Dtls:MaxSessions", 1, 10_000_000, static dtls => dtls.MaxSessions, static (dtls, value) => dtls.MaxSessions = value)
        .Number("Dtls:MaxSessionsPerAddress", 1, 10_000_000, static dtls => dtls.MaxSessionsPerAddress,
            static (dtls, value) => dtls.MaxSessionsPerAddress = value)
        .Number("Dtls:MaxSessionsPerIdentity", 1, 10_000_000, static dtls => dtls.MaxSessionsPerIdentity,
            static (dtls, value) => dtls.MaxSessionsPerIdentity = value)
        .Number("Dtls:MaxHandshakes", 1, 100_000, static dtls => dtls.MaxHandshakes, static (dtls, value) => dtls.MaxHandshakes = value)
        .Number("Dtls:MaxHandshakesPerAddress", 1, 100_000, static dtls => dtls.MaxHandshakesPerAddress,
            static (dtls, value) => dtls.MaxHandshakesPerAddress = value)
        .Time("Dtls:SessionIdleTimeout", Idle, static dtls => dtls.SessionIdleTimeout,
            static (dtls, value) => dtls.SessionIdleTimeout = value)
        .ItemsOf(Psk, static (dtls, item, _) => ReadPsk(dtls, item));

    /// <summary>The keys of clients.</summary>
    public static KeyTable<CoapDtlsClientFileOptions> ClientTable { get; } = new KeyTable<CoapDtlsClientFileOptions>()
        .Text("Dtls:PskIdentity", s_text, static dtls => dtls.PskIdentity, static (dtls, value) => dtls.PskIdentity = value)
        .Text("Dtls:PskKey", s_text, static dtls => dtls.PskKey is null ? null : SectionReader.Hidden,
            static (dtls, value) => dtls.PskKey = value)
        .Include(Common(), static dtls => dtls)
        .Time("Dtls:SessionIdleTimeout", Idle, static dtls => dtls.SessionIdleTimeout,
            static (dtls, value) => dtls.SessionIdleTimeout = value);

    private static TimeKind Idle => new(TimeSpan.FromSeconds(1), TimeSpan.FromDays(365));

    // Reads one child of the section. Identities may have colons, which configuration treats as levels.
    private static void ReadPsk(CoapDtlsServerFileOptions dtls, IConfigurationSection item)
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

    private static KeyTable<CoapDtlsFileOptions> Common() => new KeyTable<CoapDtlsFileOptions>()
        .Text("Dtls:Certificate", s_path, static dtls => dtls.Certificate, static (dtls, value) => dtls.Certificate = value)
        .Text("Dtls:Key", s_path, static dtls => dtls.Key, static (dtls, value) => dtls.Key = value)
        .Text("Dtls:Password", s_text, static dtls => dtls.Password is null ? null : SectionReader.Hidden,
            static (dtls, value) => dtls.Password = value)
        .Text("Dtls:Authorities", s_path, static dtls => dtls.Authorities, static (dtls, value) => dtls.Authorities = value)
        .Text("Dtls:Crl", s_path, static dtls => dtls.Crl, static (dtls, value) => dtls.Crl = value)
        .Choice<X509RevocationMode>("Dtls:Revocation", static dtls => dtls.Revocation, static (dtls, value) => dtls.Revocation = value)
        .List("Dtls:CipherSuites", new ChoiceKind<CoapDtlsCipherSuite>(nameof(CoapDtlsCipherSuite.None)), static dtls => dtls.CipherSuites)
        .Switch("Dtls:UseConnectionIds", static dtls => dtls.UseConnectionIds, static (dtls, value) => dtls.UseConnectionIds = value)
        .Switch("Dtls:RequireExtendedMasterSecret", static dtls => dtls.RequireExtendedMasterSecret,
            static (dtls, value) => dtls.RequireExtendedMasterSecret = value)
        .Time("Dtls:RetransmitTimeout", new TimeKind(TimeSpan.FromMilliseconds(50), TimeSpan.FromMinutes(1)),
            static dtls => dtls.RetransmitTimeout, static (dtls, value) => dtls.RetransmitTimeout = value)
        .Time("Dtls:HandshakeTimeout", new TimeKind(TimeSpan.FromMilliseconds(100), TimeSpan.FromMinutes(10)),
            static dtls => dtls.HandshakeTimeout, static (dtls, value) => dtls.HandshakeTimeout = value)
        .Bytes("Dtls:MaxDatagramSize", 256, 16_000, static dtls => dtls.MaxDatagramSize,
            static (dtls, value) => dtls.MaxDatagramSize = (int)value);
}
