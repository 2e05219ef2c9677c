namespace CoAP.NET;

/// <summary>The limits of responses to unverified addresses (RFC 7252 section 11.3).</summary>
/// <remarks>The group <see cref="CoapLimits.Amplification"/>. Read-only once an endpoint uses it.</remarks>
[HasSettings]
public sealed partial class CoapAmplificationLimits
{
    internal CoapAmplificationLimits()
    {
    }

    /// <summary>
    /// The size of a response to an unverified address that is free, as a multiple of its request (RFC 9175 section 2.4).
    /// </summary>
    internal const int Factor = 3;

    /// <summary>The size of a response that is always sent to an unverified address, in bytes (RFC 9175 section 2.4).</summary>
    internal const int FreeSize = 136;

    /// <summary>
    /// Whether the size of responses to unverified addresses is limited, so that forged requests cannot direct our responses at others (RFC
    /// 7252 section 11.3).
    /// </summary>
    /// <remarks>
    /// An Echo (RFC 9175) or a handshake verifies an address; <see cref="CoapPeerStateLimits.TrustedPrefixes"/> are not limited. A larger
    /// response is cut into blocks of 64 bytes, or the request is answered 4.01 with an Echo; counted as <c>AmplificationRefused</c>.
    /// </remarks>
    public partial bool IsLimited { get; set; } = true;

    /// <summary>
    /// The number of bytes in larger datagrams that an unverified source (<see cref="CoapQuotaSource"/>) gets per minute: half of them at
    /// once, half over the minute.
    /// </summary>
    /// <remarks>With 0, none.</remarks>
    [NumberRange(0, IsBytes = true)]
    public partial int SourceBytesPerMinute { get; set; } = 16 * 1024;

    /// <summary>
    /// The number of bytes in larger datagrams that all unverified addresses together get per second: half of them at once, half over the
    /// second.
    /// </summary>
    /// <remarks>With 0, none.</remarks>
    [NumberRange(0, IsBytes = true)]
    public partial int TotalBytesPerSecond { get; set; } = 1024 * 1024;
}
