using CoAP.NET.Transports;

namespace CoAP.NET.Signalling;

/// <summary>Since when a connection stands still, by looking at its progress now and then. Times in units of 100 ns; <see cref="long.MaxValue"/> for never.</summary>
internal struct ProgressWatch
{
    private const int BytesPerSecond = 256;

    private long _frames;
    private long _sent;
    private long _frameSince;
    private long _sendSince;

    public ProgressWatch() => FrameDue = SendDue = long.MaxValue;

    /// <summary>When the frame of which a part is there must be whole.</summary>
    public long FrameDue { get; private set; }

    /// <summary>When the operating system must have taken some of what waits.</summary>
    public long SendDue { get; private set; }

    /// <summary>Looks.</summary>
    /// <param name="progress">How far the connection is.</param>
    /// <param name="isHeld">Whether it is we who do not read, so that a frame cannot go on.</param>
    /// <param name="options">The times.</param>
    /// <param name="now">Now.</param>
    public void Look(in CoapConnectionProgress progress, bool isHeld, CoapStreamOptions options, long now)
    {
        if (isHeld || progress.PartialLength == 0)
        {
            _frameSince = 0;
        }
        else if (_frameSince == 0 || progress.FramesReceived != _frames)
        {
            _frameSince = now;
        }

        if (progress.BytesWaiting == 0)
        {
            _sendSince = 0;
        }
        else if (_sendSince == 0 || progress.BytesSent != _sent)
        {
            _sendSince = now;
        }

        (_frames, _sent) = (progress.FramesReceived, progress.BytesSent);
        FrameDue = _frameSince == 0 ? long.MaxValue : After(_frameSince, options.FrameTimeout, progress.PartialLength / BytesPerSecond * TimeSpan.TicksPerSecond);
        SendDue = _sendSince == 0 ? long.MaxValue : After(_sendSince, options.SendTimeout, 0);
    }

    private static long After(long since, TimeSpan time, long more) => time == Timeout.InfiniteTimeSpan ? long.MaxValue : since + time.Ticks + more;
}
