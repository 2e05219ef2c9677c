using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Hosting;

/// <summary>The keys of <see cref="CoapTlsFileOptions"/>.</summary>
internal static class TlsKeys
{
    private static readonly TextKind<string> s_path = new("path of a file", static text => text);

    /// <summary>The keys of servers and clients.</summary>
    public static KeyTable<CoapTlsFileOptions> Table { get; } = new KeyTable<CoapTlsFileOptions>()
        .Text("Tls:Certificate", s_path, static tls => tls.Certificate, static (tls, value) => tls.Certificate = value)
        .Text("Tls:Key", s_path, static tls => tls.Key, static (tls, value) => tls.Key = value)
        .Text("Tls:Password", new TextKind<string>("text", static text => text), static tls => tls.Password,
            static (tls, value) => tls.Password = value)
        .Text("Tls:Authorities", s_path, static tls => tls.Authorities, static (tls, value) => tls.Authorities = value)
        .Text("Tls:Crl", s_path, static tls => tls.Crl, static (tls, value) => tls.Crl = value)
        .Choice<X509RevocationMode>("Tls:Revocation", static tls => tls.Revocation, static (tls, value) => tls.Revocation = value);

    /// <summary>The keys of servers only.</summary>
    public static KeyTable<CoapTlsFileOptions> ServerTable { get; } = new KeyTable<CoapTlsFileOptions>()
        .Choice<CoapClientCertificateMode>("Tls:ClientCertificates", static tls => tls.ClientCertificates,
            static (tls, value) => tls.ClientCertificates = value);
}
