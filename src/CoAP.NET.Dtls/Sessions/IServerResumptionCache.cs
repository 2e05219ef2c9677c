using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// A synchronous store of the state that clients need to resume sessions by a short handshake (RFC 5246 section 7.3), such as
/// <see cref="ServerResumptionCache"/>.
/// </summary>
/// <remarks>
/// Several threads call it at once, during handshakes. It must return immediately and never block, so a store outside of memory has to
/// prefetch. The state holds secrets: protect it like a private key, and overwrite it on removal.
/// </remarks>
internal interface IServerResumptionCache
{
    /// <summary>Stores a session. The store may forget it at any time; the client then performs a full handshake.</summary>
    /// <param name="id">The name of the session, 1 to 32 bytes.</param>
    /// <param name="state">The state to store, which the store owns from now on.</param>
    /// <param name="expires">When the state becomes useless.</param>
    void Add(ReadOnlySpan<byte> id, byte[] state, DateTimeOffset expires);

    /// <summary>Removes a session and returns it.</summary>
    /// <param name="id">The name of the session, 1 to 32 bytes. Any sender can have chosen it.</param>
    /// <param name="state">The state, which the caller owns from now on.</param>
    /// <returns>False if the store does not know the session, or the session has expired.</returns>
    /// <remarks>
    /// The server adds a session again immediately if clients may resume it once more. A store that several servers share therefore holds
    /// each session in one place at a time.
    /// </remarks>
    bool TryTake(ReadOnlySpan<byte> id, [NotNullWhen(true)] out byte[]? state);
}
