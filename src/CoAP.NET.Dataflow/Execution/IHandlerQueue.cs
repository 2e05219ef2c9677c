namespace CoAP.NET.Execution;

/// <summary>Requests that wait for a thread to run their handlers.</summary>
internal interface IHandlerQueue
{
    /// <summary>Starts a thread for the first waiting request.</summary>
    /// <param name="waitsForMore">Whether other requests still wait that may run in parallel.</param>
    /// <returns>Whether there was a request, and a thread.</returns>
    bool TryStartNext(out bool waitsForMore);
}
