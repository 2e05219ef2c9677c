namespace CoAP.NET.Cluster;

/// <summary>How far a request from an outbox is. The numbers stand in databases and never change.</summary>
internal enum OutboxState : byte
{
    /// <summary>It waits.</summary>
    Waiting = 0,

    /// <summary>It may be sent now, or was.</summary>
    Sending = 1,

    /// <summary>It was answered.</summary>
    Answered = 2,

    /// <summary>It has no answer and will get none.</summary>
    Failed = 3,
}
