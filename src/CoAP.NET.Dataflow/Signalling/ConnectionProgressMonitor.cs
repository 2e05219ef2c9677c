namespace CoAP.NET.Signalling;

/// <summary>
/// Detects connections without enough progress by periodic checks. Times in units of 100 ns; <see cref="long.MaxValue"/> for never.
/// </summary>
internal struct ConnectionProgressMonitor
{
    private MinDataRateDeadline _frame;
    private MinDataRateDeadline _send;
    private long _frames;

    public ConnectionProgressMonitor() => FrameDue = SendDue = long.MaxValue;

    /// <summary>The time by which the rest of the frame, or enough bytes of it, must arrive.</summary>
    public long FrameDue { get; private set; }

    /// <summary>The deadline for the operating system to take enough of the send backlog.</summary>
    public long SendDue { get; private set; }

    /// <summary>Checks the progress.</summary>
    /// <param name="progress">The progress of the connection.</param>
    /// <param name="isHeld">Whether reading is paused, so a frame cannot continue.</param>
    /// <param name="options">The timeouts.</param>
    /// <param name="now">The current time.</param>
    public void Look(in CoapConnectionTransferProgress progress, bool isHeld, CoapStreamOptions options, long now)
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
