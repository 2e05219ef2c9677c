namespace CoAP.NET.Transports;

/// <summary>
/// How much memory for what waits on a connection the endpoint was told of, by every writer of connections alike: what its
/// <see cref="SendQueue"/> holds. The endpoint is told in steps, so that telling costs nothing beside sending. Guarded by whoever has it.
/// </summary>
internal struct Backlog
{
    private const long Step = 4096;

    // So much must have been taken until that alone is worth telling.
    private const long Progress = 64 * 1024;

    private long _told;
    private long _sent;

    /// <summary>What the endpoint was told of, in bytes. Also read without the lock.</summary>
    public readonly long Told => Volatile.Read(in _told);

    /// <summary>Whether the endpoint is to be told (<see cref="ICoapStreamContext.BacklogChanged"/>), after the lock.</summary>
    /// <param name="held">How much memory is held for what waits, in bytes; 0 when nothing waits.</param>
    /// <param name="sent">How many bytes were sent so far.</param>
    public bool MustTell(long held, long sent)
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
