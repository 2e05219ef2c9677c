namespace CoAP.NET.Oscore;

/// <summary>
/// Finds the security contexts of many peers where they are kept, such as in a database, when their first request comes. What it finds is
/// added to the <see cref="OscoreContexts"/>, where it can be removed again; that there is none is remembered for a while.
/// </summary>
public interface IOscoreContextResolver
{
    /// <summary>
    /// Finds a context. Called once at a time for each ID, by threads that receive, so it must not block; no lock is held. Whoever sends a
    /// request can cause it: how many are under way is bounded, also for each source of requests.
    /// </summary>
    /// <param name="kid">The Sender ID of the peer, which is the Recipient ID here; 0 to 255 bytes.</param>
    /// <param name="idContext">The ID Context that the request names; null when it names none.</param>
    /// <param name="cancellationToken">Ends the wait after <see cref="OscoreContexts.ResolveTimeout"/>.</param>
    /// <returns>The context; null when there is none. Its parameters must have just this Recipient ID.</returns>
    ValueTask<OscoreContext?> FindAsync(ReadOnlyMemory<byte> kid, ReadOnlyMemory<byte>? idContext, CancellationToken cancellationToken);
}
