namespace CoAP.NET.Cluster;

/// <summary>What it costs when a change does not reach the store: who goes first when a <see cref="CoapRecordWriter"/> is full.</summary>
public enum CoapRecordWeight : byte
{
    /// <summary>It comes again soon, as what was received last. Goes first.</summary>
    Hint,

    /// <summary>The server goes on without it, and forgets it when its process ends. Goes when there are no hints.</summary>
    State,

    /// <summary>Somebody waits until it is confirmed, as for further record numbers. Never goes; a further one is refused.</summary>
    Promise,
}
