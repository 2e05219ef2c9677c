namespace CoAP.NET.Dtls.Files;

/// <summary>
/// DTLS of a server with keys in files: the clients that it accepts on <c>coaps</c>, by <see cref="PskFile"/>, <see cref="Psk"/>, a
/// certificate, or several of them.
/// </summary>
/// <remarks>Requests of the server show its certificate and trust its authorities.</remarks>
internal class CoapDtlsServerFileOptions : CoapDtlsFileOptions
{
    private readonly CoapDtlsServerOptions _bounds = new();

    /// <summary>
    /// A file of pre-shared keys (RFC 7252 section 9.1.3.1) with a line <c>identity:key</c> for each client, in the format of
    /// <see cref="CoapPskDictionary"/>.
    /// </summary>
    /// <remarks>
    /// If it changes while the server runs, the server takes the new keys, unless the file has an error. Sessions of removed identities
    /// end; the others stay open, also if their key was replaced. Default null: none.
    /// </remarks>
    public string? PskFile { get; set; }

    /// <summary>Pre-shared keys by identity, in addition to those of the file: text, or <c>0x</c> and hexadecimal digits.</summary>
    /// <remarks>
    /// Default empty. Configuration ignores the case of identities; <see cref="PskFile"/> does not. Keep keys out of files that others can
    /// read: an environment variable such as <c>Coap__Server__Dtls__Psk__meter1</c> sets one too.
    /// </remarks>
    public IDictionary<string, string> Psk { get; } = new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>
    /// A hint that helps clients with several identities to choose one (RFC 4279 section 5). The server sends it to every client. Default
    /// null: no hint.
    /// </summary>
    public string? PskIdentityHint { get; set; }

    /// <summary>Whether the server requests a certificate from clients that use the server's certificate.</summary>
    /// <remarks>Default <see cref="CoapClientCertificateMode.None"/>. Does not apply to clients with pre-shared keys.</remarks>
    public CoapClientCertificateMode ClientCertificates { get; set; }

    /// <summary>Maximum number of sessions.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 10,000,000.</exception>
    /// <remarks>
    /// When it is reached, a new session ends one of the address that has most: first one of a client without an identity, then the one
    /// silent longest. Default 100,000; 1 to 10,000,000.
    /// </remarks>
    public int MaxSessions
    {
        get => _bounds.MaxSessions;
        set => _bounds.MaxSessions = value;
    }

    /// <summary>
    /// Maximum number of sessions from the addresses of one source (<see cref="CoapQuotaSource"/>). Default 10,000; 1 to 10,000,000.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 10,000,000.</exception>
    public int MaxSessionsPerAddress
    {
        get => _bounds.MaxSessionsPerAddress;
        set => _bounds.MaxSessionsPerAddress = value;
    }

    /// <summary>Maximum number of sessions of one identity or certificate. Default 10,000; 1 to 10,000,000.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 10,000,000.</exception>
    public int MaxSessionsPerIdentity
    {
        get => _bounds.MaxSessionsPerIdentity;
        set => _bounds.MaxSessionsPerIdentity = value;
    }

    /// <summary>Maximum number of concurrent handshakes. Default 1,000; 1 to 100,000.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 100,000.</exception>
    public int MaxHandshakes
    {
        get => _bounds.MaxHandshakes;
        set => _bounds.MaxHandshakes = value;
    }

    /// <summary>
    /// Maximum number of concurrent handshakes with the addresses of one source (<see cref="CoapQuotaSource"/>). Default 50; 1 to 100,000.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 100,000.</exception>
    public int MaxHandshakesPerAddress
    {
        get => _bounds.MaxHandshakesPerAddress;
        set => _bounds.MaxHandshakesPerAddress = value;
    }

    /// <summary>Ends a session after this time without a message from the client. Default 1 day; 1 s to 365 days.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 s to 365 days.</exception>
    public TimeSpan SessionIdleTimeout
    {
        get => _bounds.SessionIdleTimeout;
        set => _bounds.SessionIdleTimeout = value;
    }

    internal override bool IsEmpty =>
        base.IsEmpty && PskFile is null && Psk.Count == 0 && PskIdentityHint is null
            && ClientCertificates == CoapClientCertificateMode.None;
}
