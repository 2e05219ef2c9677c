namespace CoAP.NET.Messaging;

/// <summary>The result of a search for a Message ID in the duplicate memory.</summary>
internal enum DuplicateLookup : byte
{
    /// <summary>The message is new.</summary>
    Unknown,

    /// <summary>An exchange with it is running.</summary>
    Running,

    /// <summary>An exchange with it has finished within its lifetime.</summary>
    Finished,
}
