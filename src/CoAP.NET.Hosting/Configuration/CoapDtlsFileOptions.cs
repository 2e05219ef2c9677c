using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls;

namespace CoAP.NET.Hosting;

/// <summary>
/// DTLS for <c>coaps</c> as configuration can say it (RFC 7252 section 9): what servers and clients share. Files are read when the
/// application starts; OpenSSL is needed only where <c>coaps</c> is listened on or asked. For more, such as keys of a database, call
/// <see cref="CoapDtlsEndpointExtensions.UseDtls"/> on the options of the endpoint instead. Mutable until the start.
/// </summary>
public abstract class CoapDtlsFileOptions
{
    private protected CoapDtlsFileOptions()
    {
    }

    /// <summary>
    /// The file with the own certificate, ECDSA on P-256 (RFC 7252 section 9.1.3.3): PEM, followed by those of the authorities between it
    /// and a root, if there are any; or PFX (PKCS #12). Default null: none.
    /// </summary>
    public string? Certificate { get; set; }

    /// <summary>The file with the private key, in PEM. Default null: it stands in the file of the certificate.</summary>
    public string? Key { get; set; }

    /// <summary>
    /// The password of the PFX file, or of an encrypted PEM key. Default null: none is needed. Keep it out of files that others read.
    /// </summary>
    public string? Password { get; set; }

    /// <summary>
    /// A PEM file with the authorities that certificates of the other side must come from. Default null: for clients those that the
    /// operating system trusts; a server that asks for certificates needs it.
    /// </summary>
    public string? Authorities { get; set; }

    /// <summary>
    /// Whether it is looked up if certificates of the other side were revoked. Default <see cref="X509RevocationMode.NoCheck"/>.
    /// </summary>
    public X509RevocationMode Revocation { get; set; } = X509RevocationMode.NoCheck;

    /// <summary>
    /// The cipher suites, best first. Default empty: those of <see cref="CoapDtlsOptions.DefaultCipherSuites"/> that go with the
    /// credentials.
    /// </summary>
    public IList<CoapDtlsCipherSuite> CipherSuites => Common.CipherSuites;

    /// <summary>
    /// Whether Connection IDs (RFC 9146) are used, so that a session outlives a change of the peer's address. Default true.
    /// </summary>
    public bool UseConnectionIds
    {
        get => Common.UseConnectionIds;
        set => Common.UseConnectionIds = value;
    }

    /// <summary>
    /// Whether handshakes fail with peers that do not bind the master secret to the whole handshake (RFC 7627). Default false, for old
    /// devices; sessions without it are never resumed.
    /// </summary>
    public bool RequireExtendedMasterSecret
    {
        get => Common.RequireExtendedMasterSecret;
        set => Common.RequireExtendedMasterSecret = value;
    }

    /// <summary>
    /// After so long a silence a flight of a handshake is sent again, then after twice as long, and so on. Default 1 s; 50 ms to 60 s. RFC
    /// 7925 section 11 has 9 s for networks where an answer takes seconds.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 50 ms to 60 s.</exception>
    public TimeSpan RetransmitTimeout
    {
        get => Common.RetransmitTimeout;
        set => Common.RetransmitTimeout = value;
    }

    /// <summary>How long a handshake may take, with all repetitions. Default 30 s; 100 ms to 10 min.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 100 ms to 10 min.</exception>
    public TimeSpan HandshakeTimeout
    {
        get => Common.HandshakeTimeout;
        set => Common.HandshakeTimeout = value;
    }

    /// <summary>Most bytes of a datagram of a handshake, without the headers of UDP and IP. Default 1,200; 256 to 16,000.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 256 to 16,000.</exception>
    public int MaxDatagramSize
    {
        get => Common.MaxDatagramSize;
        set => Common.MaxDatagramSize = value;
    }

    /// <summary>What both ends of an endpoint share; without credentials.</summary>
    internal CoapDtlsOptions Common { get; } = new();

    /// <summary>Whether nothing is said of credentials or trust.</summary>
    internal virtual bool IsEmpty => Certificate is null && Key is null && Password is null && Authorities is null;
}
