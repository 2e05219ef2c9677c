namespace CoAP.NET.Load.Plans;

/// <summary>The pacing of requests.</summary>
internal enum LoadPacing
{
    /// <summary>Each peer sends its next request as soon as it has an answer: the server sets the pace.</summary>
    Closed,

    /// <summary>
    /// Requests are due at a fixed rate, whatever the server does; times count from the due time, so that a stalled server does not hide
    /// the requests it delayed.
    /// </summary>
    Open,

    /// <summary>
    /// Each peer observes the resource; the run counts notifications, and measures the time from a change to each of them.
    /// </summary>
    Observe,
}
