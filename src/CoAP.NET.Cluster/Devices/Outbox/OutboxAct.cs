namespace CoAP.NET.Cluster;

/// <summary>What a node asks the node that owns an outbox: the first byte of the question.</summary>
internal enum OutboxAct : byte
{
    /// <summary>Add a request.</summary>
    Add = 0,

    /// <summary>Wait for the outcome of a request.</summary>
    Wait = 1,

    /// <summary>List the waiting requests.</summary>
    List = 2,

    /// <summary>Cancel a request. The answer has it if it will not be sent.</summary>
    Cancel = 3,
}
