namespace CoAP.NET.Messaging;

/// <summary>What the duplicate memory knows of a Message ID of a peer.</summary>
internal enum Recall : byte
{
    /// <summary>Nothing: the message is new.</summary>
    Unknown,

    /// <summary>An exchange with it runs.</summary>
    Running,

    /// <summary>An exchange with it has finished within its lifetime.</summary>
    Finished,
}
