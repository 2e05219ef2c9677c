namespace CoAP.NET;

/// <summary>Requests that wait for a thread to run their handlers.</summary>
internal interface IHandlerQueue
{
    /// <summary>Gives the first of those that wait a thread.</summary>
    /// <param name="waitsForMore">Whether others still wait that may run beside it.</param>
    /// <returns>Whether there was one, and a thread.</returns>
    bool TryStartNext(out bool waitsForMore);
}
