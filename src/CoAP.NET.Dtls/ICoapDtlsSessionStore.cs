using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Dtls;

/// <summary>
/// Where a server keeps what its clients need to resume sessions by a short handshake (RFC 5246 section 7.3). Called by several threads at
/// once, in the midst of handshakes: it must answer at once and wait for nothing, so a store that is not in memory looks up beforehand.
/// What it keeps holds secrets: protect it as a private key, and overwrite it when it goes. <see cref="CoapDtlsSessionMemory"/> is one.
/// </summary>
public interface ICoapDtlsSessionStore
{
    /// <summary>Keeps a session. It may forget it at any time: then the client makes a whole handshake.</summary>
    /// <param name="id">The name of the session, 1 to 32 bytes.</param>
    /// <param name="state">What is to be kept; the store's own from now on.</param>
    /// <param name="expires">When it is of no use any more.</param>
    void Add(ReadOnlySpan<byte> id, byte[] state, DateTimeOffset expires);

    /// <summary>
    /// Gives a session out, and keeps it no longer. The server adds it again when it may be resumed once more, which is at once; so a store
    /// that several servers share has each session in one place at a time.
    /// </summary>
    /// <param name="id">The name of the session, 1 to 32 bytes, as anybody may have sent it.</param>
    /// <param name="state">What was kept; the caller's own from now on.</param>
    /// <returns>False when it is not known, or has expired.</returns>
    bool TryTake(ReadOnlySpan<byte> id, [NotNullWhen(true)] out byte[]? state);
}
