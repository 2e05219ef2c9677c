using CoAP.NET.Transports;

namespace CoAP.NET.Signalling;

/// <summary>
/// Since when a connection moves too little, by looking at its progress now and then. Times in units of 100 ns; <see cref="long.MaxValue"/>
/// for never.
/// </summary>
internal struct ProgressWatch
{
    private RateWatch _frame;
    private RateWatch _send;
    private long _frames;

    public ProgressWatch() => FrameDue = SendDue = long.MaxValue;

    /// <summary>When the frame of which a part is there must be whole, or much more of it there.</summary>
    public long FrameDue { get; private set; }

    /// <summary>When the operating system must have taken enough of what waits.</summary>
    public long SendDue { get; private set; }

    /// <summary>Looks.</summary>
    /// <param name="progress">How far the connection is.</param>
    /// <param name="isHeld">Whether it is we who do not read, so that a frame cannot go on.</param>
    /// <param name="options">The times.</param>
    /// <param name="now">Now.</param>
    public void Look(in CoapConnectionProgress progress, bool isHeld, CoapStreamOptions options, long now)
    {
        bool hasPartial = !isHeld && progress.PartialLength > 0;
        if (!hasPartial || progress.FramesReceived != _frames)
        {
            _frame.Stop();
        }

        bool hasWaiting = progress.BytesWaiting > 0;
        if (!hasWaiting)
        {
            _send.Stop();
        }

        _frames = progress.FramesReceived;
        FrameDue = hasPartial ? _frame.Look(progress.PartialReceived, long.MaxValue, options.FrameTimeout, now) : long.MaxValue;
        SendDue = hasWaiting ? _send.Look(progress.BytesSent, progress.BytesWaiting, options.SendTimeout, now) : long.MaxValue;
    }
}
