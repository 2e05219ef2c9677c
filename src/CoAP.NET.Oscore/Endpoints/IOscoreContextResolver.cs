namespace CoAP.NET.Oscore;

/// <summary>Finds the security contexts of many peers on their first request, for example in a database.</summary>
/// <remarks>
/// The endpoint adds the result to its <see cref="OscoreContexts"/>, from which the application can remove it. It remembers for a while
/// that an ID has no context.
/// </remarks>
public interface IOscoreContextResolver
{
    /// <summary>Finds a context.</summary>
    /// <param name="kid">The Sender ID of the peer, which is the Recipient ID here; 0 to 255 bytes.</param>
    /// <param name="idContext">The ID Context in the request; null for none.</param>
    /// <param name="cancellationToken">Cancelled after <see cref="OscoreContexts.ResolveTimeout"/>.</param>
    /// <returns>The context; null for none. Its parameters must have exactly this Recipient ID.</returns>
    /// <remarks>
    /// Receive threads call it, once at a time for each ID and without a lock, so it must not block. Any sender of a request can cause a
    /// call; the endpoint limits pending calls, in total and per source of requests.
    /// </remarks>
    ValueTask<OscoreContext?> FindAsync(ReadOnlyMemory<byte> kid, ReadOnlyMemory<byte>? idContext, CancellationToken cancellationToken);
}
