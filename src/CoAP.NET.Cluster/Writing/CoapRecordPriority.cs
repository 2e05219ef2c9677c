namespace CoAP.NET.Cluster.Writing;

/// <summary>The importance of a change, which determines the order of drops when a <see cref="CoapRecordWriteQueue"/> is full.</summary>
internal enum CoapRecordPriority : byte
{
    /// <summary>A newer change follows soon, for example for the last received message. Dropped first.</summary>
    Hint,

    /// <summary>The server has the state in memory, and loses it when its process ends. Dropped if there are no hints.</summary>
    State,

    /// <summary>
    /// A caller waits for the confirmation, for example of reserved record numbers. Never dropped; further ones are refused.
    /// </summary>
    Promise,
}
