using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Settings;

namespace CoAP.NET.Hosting;

/// <summary>Certificate files of TLS for <c>coaps+tcp</c>.</summary>
/// <remarks>
/// The application reads the files when it starts, and again when they change: new handshakes then use the new contents, unless a file has
/// an error. For more, such as a certificate per connection, set <see cref="CoapEndpointOptions.Tls"/> instead. Mutable until the start.
/// </remarks>
[HasSettings]
public sealed partial class CoapTlsFileOptions
{
    /// <summary>The file with the endpoint's own certificate.</summary>
    /// <remarks>
    /// PEM, followed by the authorities between it and a root, if any; or PFX (PKCS #12), detected by its content. Default null: none.
    /// </remarks>
    public partial string? Certificate { get; set; }

    /// <summary>The file with the private key, in PEM. Default null: the file of the certificate contains it.</summary>
    public partial string? Key { get; set; }

    /// <summary>The password of the PFX file, or of an encrypted PEM key.</summary>
    /// <remarks>
    /// Default null: none. Keep it out of files that others can read: an environment variable such as <c>Coap__Server__Tls__Password</c>
    /// sets it too.
    /// </remarks>
    public partial string? Password { get; set; }

    /// <summary>A PEM file with the authorities that must have issued the certificates of the other side.</summary>
    /// <remarks>
    /// Default null: for clients those that the operating system trusts; a server that requests certificates
    /// (<see cref="ClientCertificates"/>) needs it and does not start without.
    /// </remarks>
    public partial string? Authorities { get; set; }

    /// <summary>
    /// Whether a server requests client certificates. Default <see cref="CoapClientCertificateMode.None"/>. Otherwise set
    /// <see cref="Authorities"/>. Without meaning for clients.
    /// </summary>
    public partial CoapClientCertificateMode ClientCertificates { get; set; }

    /// <summary>
    /// A file with the revocation lists of <see cref="Authorities"/>, which need to have signed them (RFC 5280 section 5).
    /// </summary>
    /// <remarks>
    /// PEM (<c>X509 CRL</c>) with one or more lists, or one in DER. Certificates of the other side that are on a list are refused, and
    /// their connections end when a changed file revokes them. No URL is fetched: replace the file. A list stays in force after its next
    /// update was due. Default null: none.
    /// </remarks>
    public partial string? Crl { get; set; }

    /// <summary>
    /// Whether to check certificates of the other side online for revocation. Default <see cref="X509RevocationMode.NoCheck"/>.
    /// </summary>
    public partial X509RevocationMode Revocation { get; set; } = X509RevocationMode.NoCheck;

    internal bool IsEmpty =>
        Certificate is null && Key is null && Password is null && Authorities is null && Crl is null
            && ClientCertificates == CoapClientCertificateMode.None;
}
