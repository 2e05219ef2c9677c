namespace CoAP.NET.Cluster.Devices.Outbox;

/// <summary>The progress of a request from an outbox. The numbers are stored in databases and never change.</summary>
internal enum OutboxRequestState : byte
{
    Waiting = 0,

    /// <summary>It may have been sent.</summary>
    Sending = 1,

    Answered = 2,

    /// <summary>It has no answer, and will get none.</summary>
    Failed = 3,
}
