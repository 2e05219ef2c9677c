using CoAP.NET.Dtls;

namespace CoAP.NET.Hosting;

/// <summary>
/// DTLS of a hosted client: how it proves itself to servers on <c>coaps</c>, by a pre-shared key or a certificate, and whom it trusts. With
/// nothing set it asks servers whose certificate the operating system trusts.
/// </summary>
public sealed class CoapDtlsClientFileOptions : CoapDtlsFileOptions
{
    private readonly CoapDtlsClientOptions _bounds = new();

    /// <summary>
    /// Who the client is (RFC 7252 section 9.1.3.1): 1 to 128 bytes of UTF-8. Sent in the clear. Default null: it has no pre-shared key.
    /// </summary>
    public string? PskIdentity { get; set; }

    /// <summary>
    /// The pre-shared key that goes with <see cref="PskIdentity"/>: text, or <c>0x</c> and hexadecimal digits. Default null. Keep it out of
    /// files that others read: an environment variable such as <c>Coap__Client__Dtls__PskKey</c> sets it too.
    /// </summary>
    public string? PskKey { get; set; }

    /// <summary>
    /// After so long a silence of a server the session ends; the next request makes another. Default 1 day; 1 s to 365 days.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 s to 365 days.</exception>
    public TimeSpan SessionIdleTimeout
    {
        get => _bounds.SessionIdleTimeout;
        set => _bounds.SessionIdleTimeout = value;
    }

    internal override bool IsEmpty => base.IsEmpty && PskIdentity is null && PskKey is null;
}
