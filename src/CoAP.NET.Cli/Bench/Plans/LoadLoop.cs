namespace CoAP.NET.Cli.Bench;

/// <summary>When the next request is sent.</summary>
internal enum LoadLoop
{
    /// <summary>Each peer asks again as soon as it was answered: the server sets the pace.</summary>
    Closed,

    /// <summary>
    /// Requests are due at a fixed rate, whatever the server does; times count from when a request was due, so that a stalled server does
    /// not hide the requests it delayed.
    /// </summary>
    Open,

    /// <summary>Each peer observes the resource; notifications are counted, and the time from a change to each of them.</summary>
    Observe,
}
