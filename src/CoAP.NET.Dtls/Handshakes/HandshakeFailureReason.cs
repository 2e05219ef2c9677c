namespace CoAP.NET.Dtls.Handshakes;

/// <summary>Why a handshake failed.</summary>
/// <param name="Why">The reason, as text; it may contain text of the peer or of user code.</param>
/// <param name="Fault">The kind of the reason.</param>
/// <param name="Exception">What code of the application threw; null otherwise.</param>
internal sealed record HandshakeFailureReason(string Why, HandshakeFault Fault = HandshakeFault.Other, CallbackException? Exception = null)
{
    /// <summary>The fatal alert by which the peer refused, protected by the keys of the handshake; null for none.</summary>
    public AlertDescription? Alert { get; init; }

    /// <summary>The end by an exception.</summary>
    /// <param name="exception">The exception.</param>
    /// <param name="isDistrusted">Whether it came from the check of the credentials of the peer.</param>
    public static HandshakeFailureReason Of(Exception exception, bool isDistrusted = false) => exception is CallbackException callback
        ? new HandshakeFailureReason(callback.Message, HandshakeFault.CallbackFailed, callback)
        : new HandshakeFailureReason(exception.Message, isDistrusted ? HandshakeFault.CertificateRefused : HandshakeFault.Other);
}
