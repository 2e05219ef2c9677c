namespace CoAP.NET.Transports.Streams;

/// <summary>The activities of the thread of a <see cref="ConnectionReader"/>.</summary>
internal enum ConnectionReaderState : byte
{
    /// <summary>It waits, or searches the end of a frame.</summary>
    Cutting,

    /// <summary>It has a frame in the stages.</summary>
    InStages,

    /// <summary>It has a frame in user code, from which it may not return soon.</summary>
    InUserCode,
}
