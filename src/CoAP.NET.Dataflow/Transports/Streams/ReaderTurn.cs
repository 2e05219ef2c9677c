namespace CoAP.NET.Transports;

/// <summary>What the thread of a <see cref="ConnectionReader"/> does.</summary>
internal enum ReaderTurn : byte
{
    /// <summary>It waits, or looks for the end of a frame.</summary>
    Cutting,

    /// <summary>It is with a frame in the stages.</summary>
    InStages,

    /// <summary>It is with a frame in user code, from where it may not come back soon.</summary>
    InUserCode,
}
