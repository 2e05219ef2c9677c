namespace CoAP.NET.Transports.Streams;

/// <summary>
/// The received bytes of a <see cref="ConnectionReader"/>, which it hands in frame by frame. Used by the reader only, except for the
/// progress.
/// </summary>
internal sealed class ConnectionInput(
    AsyncIOConnection connection, ConnectionByteTransport link, ConnectionReader reader, ConnectionReaderMemoryCharge charge,
        ICoapStreamTransportContext context)
{
    private readonly FrameBuffer _bytes = new();
    private long _count;
    private long _partial;
    private long _partialReceived;

    /// <summary>The number of frames handed in. Thread-safe, as are the next two members.</summary>
    public long Count => Volatile.Read(ref _count);

    /// <summary>The length of the partial frame, or its available bytes while the length is unknown; 0 for none.</summary>
    public long Partial => Volatile.Read(ref _partial);

    /// <summary>The available bytes of the partial frame.</summary>
    public long PartialReceived => Volatile.Read(ref _partialReceived);

    /// <summary>Whether there are unprocessed bytes.</summary>
    public bool HasUncut { get; private set; }

    /// <summary>Whether there are no bytes.</summary>
    public bool IsEmpty => _bytes.Length == 0;

    /// <summary>Returns room for the next read; <see cref="OnRead"/> or <see cref="ReleaseCapacity"/> follows.</summary>
    public Memory<byte> GetMemory() => _bytes.GetMemory();

    public void ReleaseCapacity() => _bytes.ReleaseCapacity();

    /// <summary>Records the number of read bytes.</summary>
    public void OnRead(int count)
    {
        _bytes.Advance(count);
        HasUncut = true;
    }

    /// <summary>Records the beginning of a message, even without any of its bytes.</summary>
    public void OnMessageBegun() => Volatile.Write(ref _partial, 1);

    /// <summary>Records a pause of reading: the peer is not responsible for the partial frame.</summary>
    public void OnPaused() => Volatile.Write(ref _partial, 0);

    /// <summary>Hands in the complete frames, as long as reading is allowed.</summary>
    public void Cut()
    {
        FrameSplitter frames = FrameSplitter.Rent();
        bool isStopped = false;
        while (_bytes.Length > 0)
        {
            isStopped = !reader.TryBeginFrame();
            if (isStopped || !TryHandIn(frames))
            {
                break;
            }
        }

        FrameSplitter.Return(frames);
        KeepRest(isStopped);
    }

    /// <summary>Handles a violation by the peer in the last read.</summary>
    public void Refuse(string violation)
    {
        HasUncut = !reader.TryBeginFrame();
        if (!HasUncut)
        {
            try
            {
                context.Refuse(connection, violation);
            }
            finally
            {
                reader.EndFrame();
            }
        }
    }

    /// <summary>Returns all memory.</summary>
    public void Release() => _bytes.Release();

    // Hands in the next frame, which was begun.
    private bool TryHandIn(FrameSplitter frames)
    {
        try
        {
            // The frame is the message, which is measured when it is complete or exceeds the limit.
            if (link.HasMessages)
            {
                if (_bytes.Length > context.Limits.Connections.MaxMessageSize)
                {
                    link.OnTooLarge();
                }
                else if (!link.IsMessageWhole)
                {
                    return false;
                }
            }

            if (frames.Next(connection, context, _bytes, out bool isBroken) is { } frame)
            {
                Volatile.Write(ref _count, _count + 1);
                context.Receive(frame);
                frames.TakeBack(_bytes);
                return true;
            }

            if (isBroken)
            {
                // Aborted: the last frame was sent, and nothing more is processed.
                _bytes.Skip(_bytes.Length);
            }

            return false;
        }
        finally
        {
            reader.EndFrame();
        }
    }

    // Bytes that wait because reading is paused count like those of a partial frame.
    private void KeepRest(bool isStopped)
    {
        HasUncut = isStopped;
        _bytes.Trim();
        bool isPartial = !isStopped && _bytes.Length > 0;
        if (isPartial)
        {
            // A connection that waits for the rest of a frame waits with room for it.
            _bytes.MakeRoom();
        }

        Volatile.Write(ref _partialReceived, isPartial ? _bytes.Length : 0);
        Volatile.Write(ref _partial, isPartial ? Math.Max(_bytes.Needed, _bytes.Length) : 0);
        if (!charge.TrySetFrames(_bytes.Charge))
        {
            connection.End(charge.Refusal(), lingers: false);
        }
    }
}
