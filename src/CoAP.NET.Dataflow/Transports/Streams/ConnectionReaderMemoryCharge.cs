namespace CoAP.NET.Transports.Streams;

/// <summary>
/// The charge of a connection's reader to the endpoint's memory for partial frames: the pieces of its <see cref="FrameBuffer"/>, and the
/// memory of its link. Used by the reader only.
/// </summary>
internal sealed class ConnectionReaderMemoryCharge(ICoapStreamTransportContext context, CoapConnection connection)
{
    private int _frames;
    private int _link;
    private int _reserved;

    /// <summary>Sets the memory of the pieces in bytes.</summary>
    /// <returns>False when there is no memory for it, so the connection must end.</returns>
    public bool TrySetFrames(int bytes)
    {
        _frames = bytes;
        return TryFollow();
    }

    /// <summary>Sets the memory of the link in bytes.</summary>
    /// <returns>False when there is no memory for it, so the connection must end.</returns>
    public bool TrySetLink(int bytes)
    {
        _link = bytes;
        return TryFollow();
    }

    /// <summary>Releases the charge after the end of reading.</summary>
    public void Release()
    {
        _frames = _link = 0;
        _ = TryFollow();
    }

    /// <summary>Creates the exception for a connection without memory.</summary>
    public CoapConnectionException Refusal() => new(
        CoapError.Refused,
        $"The connection to {connection} was closed: there is no memory for its partial frame. See CoapLimits.Connections.ReceiveMemory.");

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
