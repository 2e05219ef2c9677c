using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Hosting;

/// <summary>
/// TLS by files, for <c>coaps+tcp</c>: what configuration can say. The files are read when the application starts. For more, such as
/// certificates that are chosen for each connection, set <see cref="CoapEndpointOptions.Tls"/> instead. Mutable until the start.
/// </summary>
public sealed class CoapTlsFileOptions
{
    /// <summary>
    /// The file with the own certificate: PEM, followed by those of the authorities between it and a root, if there are any; or PFX (PKCS
    /// #12), told by its content. Default null: none.
    /// </summary>
    public string? Certificate { get; set; }

    /// <summary>The file with the private key, in PEM. Default null: it stands in the file of the certificate.</summary>
    public string? Key { get; set; }

    /// <summary>
    /// The password of the PFX file, or of an encrypted PEM key. Default null: none is needed. Keep it out of files that others read: an
    /// environment variable such as <c>Coap__Server__Tls__Password</c> sets it too.
    /// </summary>
    public string? Password { get; set; }

    /// <summary>
    /// A PEM file with the authorities that certificates of the other side must come from. Default null: for clients those that the
    /// operating system trusts; a server that asks for certificates (<see cref="ClientCertificates"/>) needs it and does not start without.
    /// </summary>
    public string? Authorities { get; set; }

    /// <summary>
    /// Whether a server asks clients for certificates. Default <see cref="CoapClientCertificateMode.None"/>. Otherwise set
    /// <see cref="Authorities"/>. Without meaning for clients.
    /// </summary>
    public CoapClientCertificateMode ClientCertificates { get; set; }

    /// <summary>
    /// Whether it is looked up if certificates of the other side were revoked. Default <see cref="X509RevocationMode.NoCheck"/>.
    /// </summary>
    public X509RevocationMode Revocation { get; set; } = X509RevocationMode.NoCheck;

    internal bool IsEmpty =>
        Certificate is null && Key is null && Password is null && Authorities is null
            && ClientCertificates == CoapClientCertificateMode.None;
}
