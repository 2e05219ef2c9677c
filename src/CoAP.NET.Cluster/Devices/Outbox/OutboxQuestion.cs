namespace CoAP.NET.Cluster;

/// <summary>What a node asks another one that keeps an outbox: the first byte.</summary>
internal enum OutboxQuestion : byte
{
    /// <summary>To take a request, which follows.</summary>
    Add = 0,

    /// <summary>What came of a request: its id, and the name of the device.</summary>
    Wait = 1,

    /// <summary>What waits.</summary>
    List = 2,

    /// <summary>To cancel a request.</summary>
    Cancel = 3,
}
