namespace CoAP.NET.Observing.Server;

/// <summary>The states of an <see cref="Observer"/>.</summary>
internal enum ObserverState : byte
{
    /// <summary>It waits for nothing, and no message is outstanding.</summary>
    /// <remarks>
    /// A Non-confirmable notification is sent; the outstanding message is acknowledged or finds no room; or its turn finds nothing new.
    /// </remarks>
    Idle,

    /// <summary>The response to its registration, which is its first notification, is not finished or has no acknowledgement.</summary>
    /// <remarks>It registers.</remarks>
    Answering,

    /// <summary>It gets the state when its turn comes: after NSTART, the pace of its peer, the leisure of a group, or a pause.</summary>
    /// <remarks>
    /// A run has a newer result; the time without a notification is over; something changed while a message was outstanding; or its turn
    /// ended before the awaited run.
    /// </remarks>
    AwaitsTurn,

    /// <summary>Its turn has come, and it waits for a run that shows the last change.</summary>
    /// <remarks>Its turn comes, and no result shows the last change.</remarks>
    AwaitsRun,

    /// <summary>A Confirmable notification has no acknowledgement; on a connection it waits for room. A newer state replaces it.</summary>
    /// <remarks>Its turn comes, a result shows what it lacks, and the notification is Confirmable.</remarks>
    Outstanding,

    /// <summary>It left the list of observers.</summary>
    /// <remarks>It deregisters, rejects or does not acknowledge a message, gets an error, or gives its place to another.</remarks>
    Removed,
}
