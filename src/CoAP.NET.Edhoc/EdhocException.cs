using CoAP.NET.Edhoc.Messages;

namespace CoAP.NET.Edhoc;

/// <summary>
/// A session of EDHOC ended by an error: one found here, whose <see cref="ToMessage"/> the peer is to be sent, or one that the peer told.
/// The session cannot go on; a new one begins with a new message_1.
/// </summary>
public sealed class EdhocException : CoapException
{
    /// <summary>The longest text of a peer that is kept, in characters; the rest is cut off.</summary>
    public const int MaxPeerText = 256;

    /// <summary>Makes an unspecified error.</summary>
    /// <param name="message">What is wrong. It goes to the peer, so it repeats nothing secret and nothing that the peer sent.</param>
    public EdhocException(string message)
        : base(message)
    {
    }

    /// <summary>Makes an unspecified error.</summary>
    /// <param name="message">What is wrong.</param>
    /// <param name="innerException">The cause, which the peer is not told.</param>
    public EdhocException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }

    internal EdhocException(EdhocErrorCode code, string message, IReadOnlyList<int>? suites = null, bool isOfPeer = false)
        : base(message) =>
        (Code, Suites, IsOfPeer) = (code, suites ?? [], isOfPeer);

    /// <summary>The code. Default <see cref="EdhocErrorCode.Unspecified"/>.</summary>
    public EdhocErrorCode Code { get; } = EdhocErrorCode.Unspecified;

    /// <summary>The cipher suites that the Responder supports (SUITES_R), with <see
    /// cref="EdhocErrorCode.WrongSelectedCipherSuite"/>.</summary>
    public IReadOnlyList<int> Suites { get; } = [];

    /// <summary>Whether the peer sent the error. Nobody authenticated it, and it is not answered (RFC 9528 section 6).</summary>
    public bool IsOfPeer { get; }

    /// <summary>The error message that tells the peer (RFC 9528 section 6).</summary>
    /// <returns>ERR_CODE and ERR_INFO as a CBOR sequence.</returns>
    public byte[] ToMessage() => ErrorMessage.Write(this);

    /// <summary>Reads an error message of the peer.</summary>
    /// <param name="message">The bytes.</param>
    /// <returns>The error. Its text is the peer's: at most <see cref="MaxPeerText"/> characters, without control characters.</returns>
    /// <exception cref="EdhocException">It is no error message.</exception>
    public static EdhocException OfPeer(ReadOnlySpan<byte> message) => ErrorMessage.Read(message);
}
