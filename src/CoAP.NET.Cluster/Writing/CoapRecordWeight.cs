namespace CoAP.NET.Cluster;

/// <summary>How important a change is: which changes are dropped first when a <see cref="CoapRecordWriter"/> is full.</summary>
public enum CoapRecordWeight : byte
{
    /// <summary>A newer change follows soon, such as of what was received last. Dropped first.</summary>
    Hint,

    /// <summary>The server has the state in memory, and loses it when its process ends. Dropped when there are no hints.</summary>
    State,

    /// <summary>A caller waits for the confirmation, such as of reserved record numbers. Never dropped; further ones are refused.</summary>
    Promise,
}
