using CoAP.NET.Dtls;

namespace CoAP.NET.Hosting;

/// <summary>
/// DTLS of a hosted server: whom it serves on <c>coaps</c>, by <see cref="PskFile"/>, <see cref="Psk"/>, a certificate, or several of them.
/// Requests of its own show its certificate and trust its authorities.
/// </summary>
public sealed class CoapDtlsServerFileOptions : CoapDtlsFileOptions
{
    private readonly CoapDtlsServerOptions _bounds = new();

    /// <summary>
    /// A file of pre-shared keys (RFC 7252 section 9.1.3.1) with a line <c>identity:key</c> for each client, as
    /// <see cref="CoapPskDictionary"/> reads it. When it changes while the server runs, its keys are taken if nothing is wrong with it;
    /// sessions that are open stay open. Default null: none.
    /// </summary>
    public string? PskFile { get; set; }

    /// <summary>
    /// Pre-shared keys by identity, beside those of the file: text, or <c>0x</c> and hexadecimal digits. Default empty. Configuration does
    /// not tell identities apart that differ in upper and lower case only; <see cref="PskFile"/> does. Keep keys out of files that others
    /// read: an environment variable such as <c>Coap__Server__Dtls__Psk__meter1</c> sets one too.
    /// </summary>
    public IDictionary<string, string> Psk { get; } = new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>
    /// What helps clients with several identities to choose one (RFC 4279 section 5). Sent to everybody. Default null: nothing is said.
    /// </summary>
    public string? PskIdentityHint { get; set; }

    /// <summary>
    /// Whether clients that come with the server's certificate are asked for one of their own. Default
    /// <see cref="CoapClientCertificateMode.None"/>. Those with pre-shared keys show none.
    /// </summary>
    public CoapClientCertificateMode ClientCertificates { get; set; }

    /// <summary>
    /// Most sessions; for one more, one ends of the address that has most: of clients without an identity first, then the one that was
    /// silent longest. Default 100,000; 1 to 10,000,000.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 10,000,000.</exception>
    public int MaxSessions
    {
        get => _bounds.MaxSessions;
        set => _bounds.MaxSessions = value;
    }

    /// <summary>Most sessions of the addresses of one source (<see cref="CoapSource"/>). Default 10,000; 1 to 10,000,000.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 10,000,000.</exception>
    public int MaxSessionsPerAddress
    {
        get => _bounds.MaxSessionsPerAddress;
        set => _bounds.MaxSessionsPerAddress = value;
    }

    /// <summary>Most sessions of one identity or certificate. Default 10,000; 1 to 10,000,000.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 10,000,000.</exception>
    public int MaxSessionsPerIdentity
    {
        get => _bounds.MaxSessionsPerIdentity;
        set => _bounds.MaxSessionsPerIdentity = value;
    }

    /// <summary>Most handshakes under way. Default 1,000; 1 to 100,000.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 100,000.</exception>
    public int MaxHandshakes
    {
        get => _bounds.MaxHandshakes;
        set => _bounds.MaxHandshakes = value;
    }

    /// <summary>Most of them with the addresses of one source (<see cref="CoapSource"/>). Default 50; 1 to 100,000.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 100,000.</exception>
    public int MaxHandshakesPerAddress
    {
        get => _bounds.MaxHandshakesPerAddress;
        set => _bounds.MaxHandshakesPerAddress = value;
    }

    /// <summary>After so long a silence of a client its session ends. Default 1 day; 1 s to 365 days.</summary>
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
