namespace CoAP.NET;

/// <summary>The send and receive progress of a connection.</summary>
public readonly struct CoapConnectionTransferProgress
{
    /// <summary>Creates it.</summary>
    /// <param name="framesReceived">The number of complete frames received so far.</param>
    /// <param name="partialLength">The length of the partial frame in bytes; the bytes that are available, while its length is unknown; 0
    /// without a partial frame.</param>
    /// <param name="bytesSent">The number of bytes that the operating system took so far.</param>
    /// <param name="bytesWaiting">The number of bytes that wait to be sent.</param>
    public CoapConnectionTransferProgress(long framesReceived, long partialLength, long bytesSent, long bytesWaiting)
    {
        FramesReceived = framesReceived;
        PartialLength = partialLength;
        BytesSent = bytesSent;
        BytesWaiting = bytesWaiting;
    }

    /// <summary>The number of complete frames received so far.</summary>
    public long FramesReceived { get; }

    /// <summary>The length of the partial frame in bytes; the bytes that are available, while its length is unknown; 0 without a partial
    /// frame.</summary>
    public long PartialLength { get; }

    /// <summary>The number of bytes that the operating system took so far.</summary>
    public long BytesSent { get; }

    /// <summary>The number of bytes that wait to be sent.</summary>
    public long BytesWaiting { get; }

    /// <summary>The available bytes of the partial frame.</summary>
    /// <remarks>Default 0: unknown. The frame then has <see cref="CoapStreamOptions.FrameTimeout"/> in total, however long it is.</remarks>
    public long PartialReceived { get; init; }
}
