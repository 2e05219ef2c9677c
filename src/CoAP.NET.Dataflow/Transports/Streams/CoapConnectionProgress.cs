namespace CoAP.NET.Transports;

/// <summary>How far a connection is with sending and receiving.</summary>
/// <param name="FramesReceived">The frames that were received whole so far.</param>
/// <param name="PartialLength">The length in bytes of the frame of which only a part is there; what is there, when its length is not known
/// yet; 0 when there is none.</param>
/// <param name="BytesSent">The bytes that the operating system took so far.</param>
/// <param name="BytesWaiting">The bytes that wait to be sent.</param>
public readonly record struct CoapConnectionProgress(long FramesReceived, long PartialLength, long BytesSent, long BytesWaiting)
{
    /// <summary>
    /// How many bytes are there of the frame of which only a part is there. Default 0, not told: the frame then has
    /// <see cref="CoapStreamOptions.FrameTimeout"/> and no more, however long it is.
    /// </summary>
    public long PartialReceived { get; init; }
}
