namespace CoAP.NET.Transports;

/// <summary>Frames that leave with one send: those of the connection that is being served.</summary>
internal sealed unsafe partial class TcpReceiver
{
    private const int OutSize = 64 * 1024;

    // A larger one leaves from where it lies.
    private const int LargestCollected = 16 * 1024;

    private readonly PinnedArray<byte> _out = new(OutSize);
    private int _outLength;

    /// <summary>Adds a frame to what leaves at the end of the turn, and takes it over.</summary>
    /// <returns>False when it has to go its own way, now: everything before it has left, or waits.</returns>
    public bool TryCollect(LinuxTcpConnection connection, CoapDatagram frame)
    {
        if (_serving != connection)
        {
            return false;
        }

        if (frame.IsLast || frame.Length > LargestCollected || connection.HasWaiting)
        {
            Flush();
            return false;
        }

        if (_outLength + frame.Length > OutSize)
        {
            Flush();
        }

        if (_outLength == 0 && !connection.TryBeginCollecting())
        {
            return false;
        }

        frame.Span.CopyTo(new Span<byte>(_out.Address + _outLength, frame.Length));
        _outLength += frame.Length;
        frame.Dispose();
        if (_loop.HasBeenLong)
        {
            Flush();
        }

        return true;
    }

    /// <summary>Sends what was collected.</summary>
    public void Flush()
    {
        if (_outLength > 0)
        {
            int length = _outLength;
            _outLength = 0;
            _serving!.SendCollected(_out.Address, length);
        }
    }
}
