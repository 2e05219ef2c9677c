using CoAP.NET.Transports.Loops;

namespace CoAP.NET.Transports.Tcp;

/// <summary>
/// Collects frames of the connection that a <see cref="TcpReceiver"/> serves, to send them together. Belongs to the thread that holds the
/// role of the loop.
/// </summary>
internal sealed unsafe class TcpSendBatch(EpollLoop loop)
{
    private const int OutSize = 64 * 1024;

    // A larger frame is sent without copying.
    private const int LargestCollected = 16 * 1024;

    private readonly PinnedArray<byte> _out = new(OutSize);
    private int _length;

    /// <summary>The currently served connection; null for none.</summary>
    public LinuxTcpConnection? Serving { get; set; }

    /// <summary>Adds a frame to the collected ones, and takes it over.</summary>
    /// <returns>False when it must be sent separately, now: all earlier frames were sent, or wait.</returns>
    public bool TryCollect(LinuxTcpConnection connection, CoapDatagram frame)
    {
        if (Serving != connection)
        {
            return false;
        }

        if (frame.IsLast || frame.Length > LargestCollected || connection.Sender.HasWaiting)
        {
            Flush();
            return false;
        }

        if (_length + frame.Length > OutSize)
        {
            Flush();
        }

        if (_length == 0 && !connection.Sender.TryBeginCollecting())
        {
            return false;
        }

        frame.Span.CopyTo(new Span<byte>(_out.Address + _length, frame.Length));
        _length += frame.Length;
        frame.Dispose();
        if (loop.HasBeenLong)
        {
            Flush();
        }

        return true;
    }

    public void Flush()
    {
        if (_length > 0)
        {
            int length = _length;
            _length = 0;
            Serving!.Sender.SendCollected(_out.Address, length);
        }
    }
}
