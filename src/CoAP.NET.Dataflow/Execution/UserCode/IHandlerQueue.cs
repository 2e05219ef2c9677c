namespace CoAP.NET;

/// <summary>Requests that wait for a thread to run their handlers.</summary>
internal interface IHandlerQueue
{
    /// <summary>Starts a thread for the first request that waits.</summary>
    /// <param name="waitsForMore">Whether others still wait that may run beside it.</param>
    /// <returns>Whether there was one, and a thread.</returns>
    bool TryStartNext(out bool waitsForMore);
}
