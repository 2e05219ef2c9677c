namespace CoAP.NET.Cluster;

/// <summary>The first byte of a question to the node that owns an outbox.</summary>
internal enum OutboxQuestion : byte
{
    /// <summary>Add the request that follows.</summary>
    Add = 0,

    /// <summary>Wait for the outcome of a request: its id, and the name of the device.</summary>
    Wait = 1,

    /// <summary>List the waiting requests.</summary>
    List = 2,

    /// <summary>Cancel a request.</summary>
    Cancel = 3,
}
