namespace CoAP.NET.Transports;

/// <summary>
/// What reading a connection takes of the endpoint's memory for unfinished frames: the pieces of its <see cref="FrameBuffer"/>, and what
/// its link holds below that. Used by the reader only.
/// </summary>
internal sealed class ReadCharge(ICoapStreamContext context, CoapConnection connection)
{
    private int _frames;
    private int _link;
    private int _reserved;

    /// <summary>Sets what the pieces take, in bytes.</summary>
    /// <returns>False when there is no memory for it, so that the connection has to end.</returns>
    public bool TrySetFrames(int bytes)
    {
        _frames = bytes;
        return TryFollow();
    }

    /// <summary>Sets what the link holds, in bytes.</summary>
    /// <returns>False when there is no memory for it, so that the connection has to end.</returns>
    public bool TrySetLink(int bytes)
    {
        _link = bytes;
        return TryFollow();
    }

    /// <summary>Nothing is read any more.</summary>
    public void Release()
    {
        _frames = _link = 0;
        _ = TryFollow();
    }

    /// <summary>Why the connection ends when there is no memory.</summary>
    public CoapConnectionException Refusal() => RefusalOf(connection);

    /// <summary>Why a connection ends when there is no memory for what came in part.</summary>
    public static CoapConnectionException RefusalOf(CoapConnection connection) => new(
        CoapConnectionError.Refused,
        $"The connection to {connection} was closed: there is no memory for what came only in part. See CoapLimits.MaxFrameAssemblyBytes.");

    private bool TryFollow()
    {
        int change = _frames + _link - _reserved;
        if (change > 0 && !context.TryReserveAssembly(connection, change))
        {
            return false;
        }

        if (change < 0)
        {
            context.ReleaseAssembly(connection, -change);
        }

        _reserved += change;
        return true;
    }
}
