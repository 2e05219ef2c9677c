using CoAP.NET.Edhoc.Messages;

namespace CoAP.NET.Edhoc;

/// <summary>An error ended an EDHOC session.</summary>
/// <remarks>
/// Either this side found the error and told the peer, or the peer reported it. The session cannot continue; begin a new one.
/// </remarks>
public sealed class EdhocException : CoapException
{
    /// <summary>Maximum length of a peer's text in characters; the rest is cut off.</summary>
    internal const int MaxPeerText = 256;

    /// <summary>Creates an unspecified error.</summary>
    /// <param name="message">The error. It goes to the peer, so it must not contain secrets or input from the peer.</param>
    public EdhocException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an unspecified error.</summary>
    /// <param name="message">The error.</param>
    /// <param name="innerException">The cause, which the peer does not see.</param>
    public EdhocException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }

    internal EdhocException(EdhocErrorCode code, string message, IReadOnlyList<int>? suites = null, bool isOfPeer = false)
        : base(message) =>
        (Code, Suites, IsOfPeer) = (code, suites ?? [], isOfPeer);

    /// <summary>The code. Default <see cref="EdhocErrorCode.Unspecified"/>.</summary>
    internal EdhocErrorCode Code { get; } = EdhocErrorCode.Unspecified;

    /// <summary>The cipher suites that the Responder supports (SUITES_R), with <see
    /// cref="EdhocErrorCode.WrongSelectedCipherSuite"/>.</summary>
    internal IReadOnlyList<int> Suites { get; } = [];

    /// <summary>Whether the peer sent the error, which is then unauthenticated and gets no answer (RFC 9528 section 6).</summary>
    public bool IsOfPeer { get; }

    /// <summary>The text for the peer, if it has to know less than this side; null for the message.</summary>
    internal string? PeerText { get; init; }

    /// <summary>Creates the error message for the peer (RFC 9528 section 6).</summary>
    /// <returns>ERR_CODE and ERR_INFO as a CBOR sequence.</returns>
    internal byte[] ToMessage() => ErrorMessage.Write(this);

    /// <summary>Reads an error message of the peer.</summary>
    /// <param name="message">The bytes.</param>
    /// <returns>The error. Its text is the peer's: at most <see cref="MaxPeerText"/> characters, without control characters.</returns>
    /// <exception cref="EdhocException">It is not an error message.</exception>
    internal static EdhocException OfPeer(ReadOnlySpan<byte> message) => ErrorMessage.Read(message);
}
