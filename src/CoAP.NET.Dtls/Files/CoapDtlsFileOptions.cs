using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Dtls.Files;

/// <summary>The configuration of DTLS for <c>coaps</c> (RFC 7252 section 9) that servers and clients share.</summary>
/// <remarks>
/// The application reads the files when it starts, and again when they change: new handshakes then use the new contents, unless a file has
/// an error. For more, such as keys in a database, call
/// <see cref="CoapDtlsExtensions.UseDtls"/> on the options of the endpoint instead. Mutable until the start.
/// </remarks>
internal abstract class CoapDtlsFileOptions
{
    private protected CoapDtlsFileOptions()
    {
    }

    /// <summary>The file with the endpoint's own certificate, ECDSA on P-256 (RFC 7252 section 9.1.3.3).</summary>
    /// <remarks>PEM, followed by the authorities between it and a root, if any; or PFX (PKCS #12). Default null: none.</remarks>
    public string? Certificate { get; set; }

    /// <summary>The file with the private key, in PEM. Default null: the file of the certificate contains it.</summary>
    public string? Key { get; set; }

    /// <summary>The password of the PFX file, or of an encrypted PEM key.</summary>
    /// <remarks>Default null: none. Keep it out of files that others can read.</remarks>
    public string? Password { get; set; }

    /// <summary>A PEM file with the authorities that must have issued the certificates of the other side.</summary>
    /// <remarks>Default null: for clients those that the operating system trusts; a server that requests certificates needs it.</remarks>
    public string? Authorities { get; set; }

    /// <summary>
    /// A file with the revocation lists of <see cref="Authorities"/>, which need to have signed them (RFC 5280 section 5).
    /// </summary>
    /// <remarks>
    /// PEM (<c>X509 CRL</c>) with one or more lists, or one in DER. Certificates of the other side that are on a list are refused, and
    /// their connections end when a changed file revokes them. No URL is fetched: replace the file. A list stays in force after its next
    /// update was due. Default null: none.
    /// </remarks>
    public string? Crl { get; set; }

    /// <summary>
    /// Whether to check certificates of the other side online for revocation. Default <see cref="X509RevocationMode.NoCheck"/>.
    /// </summary>
    public X509RevocationMode Revocation { get; set; } = X509RevocationMode.NoCheck;

    /// <summary>
    /// The cipher suites, best first. Default empty: those of <see cref="CoapDtlsOptions.DefaultCipherSuites"/> that match the credentials.
    /// </summary>
    public IList<CoapDtlsCipherSuite> CipherSuites => Common.CipherSuites;

    /// <summary>
    /// Whether to use Connection IDs (RFC 9146), so that a session survives a change of the peer's address. Default true.
    /// </summary>
    public bool UseConnectionIds
    {
        get => Common.UseConnectionIds;
        set => Common.UseConnectionIds = value;
    }

    /// <summary>
    /// Whether handshakes fail with peers that do not bind the master secret to the whole handshake (RFC 7627). Default false, for old
    /// devices; sessions without it never resume.
    /// </summary>
    public bool RequireExtendedMasterSecret
    {
        get => Common.RequireExtendedMasterSecret;
        set => Common.RequireExtendedMasterSecret = value;
    }

    /// <inheritdoc cref="CoapDtlsOptions.RetransmitTimeout"/>
    public TimeSpan RetransmitTimeout
    {
        get => Common.RetransmitTimeout;
        set => Common.RetransmitTimeout = value;
    }

    /// <inheritdoc cref="CoapDtlsOptions.HandshakeTimeout"/>
    public TimeSpan HandshakeTimeout
    {
        get => Common.HandshakeTimeout;
        set => Common.HandshakeTimeout = value;
    }

    /// <inheritdoc cref="CoapDtlsOptions.MaxDatagramSize"/>
    public int MaxDatagramSize
    {
        get => Common.MaxDatagramSize;
        set => Common.MaxDatagramSize = value;
    }

    /// <summary>The options that client and server of an endpoint share, without credentials.</summary>
    internal CoapDtlsOptions Common { get; } = new();

    /// <summary>Whether there are no credentials and no trust settings.</summary>
    internal virtual bool IsEmpty => Certificate is null && Key is null && Password is null && Authorities is null && Crl is null;
}
