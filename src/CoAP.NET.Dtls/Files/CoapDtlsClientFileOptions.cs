namespace CoAP.NET.Dtls.Files;

/// <summary>
/// DTLS of a client with keys in files: its pre-shared key or certificate for servers on <c>coaps</c>, and the servers that it trusts.
/// </summary>
/// <remarks>Without any setting it accepts servers whose certificate the operating system trusts.</remarks>
internal class CoapDtlsClientFileOptions : CoapDtlsFileOptions
{
    private readonly CoapDtlsClientOptions _bounds = new();

    /// <summary>The client's PSK identity (RFC 7252 section 9.1.3.1).</summary>
    /// <remarks>1 to 128 bytes of UTF-8, sent unencrypted. Default null: no pre-shared key.</remarks>
    public string? PskIdentity { get; set; }

    /// <summary>The pre-shared key of <see cref="PskIdentity"/>: text, or <c>0x</c> and hexadecimal digits.</summary>
    /// <remarks>
    /// Default null. Keep it out of files that others can read: an environment variable such as <c>Coap__Client__Dtls__PskKey</c> sets it
    /// too.
    /// </remarks>
    public string? PskKey { get; set; }

    /// <summary>Ends a session after this time without a message from the server; the next request opens a new one.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 s to 365 days.</exception>
    /// <remarks>Default 1 day; 1 s to 365 days.</remarks>
    public TimeSpan SessionIdleTimeout
    {
        get => _bounds.SessionIdleTimeout;
        set => _bounds.SessionIdleTimeout = value;
    }

    internal override bool IsEmpty => base.IsEmpty && PskIdentity is null && PskKey is null;
}
