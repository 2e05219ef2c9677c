namespace CoAP.NET.Transports.Streams;

/// <summary>
/// The memory of a connection's send backlog that was reported to the endpoint, for all writers of connections: the content of their
/// <see cref="SendQueue"/>. It is reported in steps, so that reporting costs nothing compared with sending. The owner guards it.
/// </summary>
internal struct SendBacklogReporter
{
    private const long Step = 4096;

    // So many sent bytes alone are worth a report.
    private const long Progress = 64 * 1024;

    private long _told;
    private long _sent;

    /// <summary>The reported bytes. Also read without the lock.</summary>
    public readonly long Reported => Volatile.Read(in _told);

    /// <summary>Whether to report to the endpoint (<see cref="ICoapStreamTransportContext.BacklogChanged"/>), after the lock.</summary>
    /// <param name="held">The memory of the send backlog in bytes; 0 for an empty one.</param>
    /// <param name="sent">The number of bytes sent so far.</param>
    public bool MustReport(long held, long sent)
    {
        long steps = (held + Step - 1) / Step * Step;
        if (steps == _told && (steps == 0 || sent - _sent < Progress))
        {
            return false;
        }

        Volatile.Write(ref _told, steps);
        _sent = sent;
        return true;
    }
}
