namespace CoAP.NET.Transports;

/// <summary>The send and receive progress of a connection.</summary>
/// <param name="FramesReceived">The number of complete frames received so far.</param>
/// <param name="PartialLength">
/// The length of the partial frame in bytes; the bytes that are available, while its length is unknown; 0 without a partial frame.
/// </param>
/// <param name="BytesSent">The number of bytes that the operating system took so far.</param>
/// <param name="BytesWaiting">The number of bytes that wait to be sent.</param>
public readonly record struct CoapConnectionProgress(long FramesReceived, long PartialLength, long BytesSent, long BytesWaiting)
{
    /// <summary>The available bytes of the partial frame.</summary>
    /// <remarks>Default 0: unknown. The frame then has <see cref="CoapStreamOptions.FrameTimeout"/> in total, however long it is.</remarks>
    public long PartialReceived { get; init; }
}
