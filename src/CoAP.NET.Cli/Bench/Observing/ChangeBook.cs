namespace CoAP.NET.Cli.Bench;

/// <summary>
/// The changes of a run by their numbers, which follow each other without gaps, and how many observers each still waits for. Whoever sees a
/// number has seen all before it: servers may skip states (RFC 7641 section 1.3). Not thread-safe.
/// </summary>
internal sealed class ChangeBook
{
    // Older ones are forgotten: an observer that was away for so many changes is told of in Converged, not in times.
    private const int Capacity = 1 << 16;

    private readonly Change[] _changes = new Change[Capacity];
    private long _first;
    private long _end;

    /// <summary>Whether a change was begun.</summary>
    public bool HasBegun => _end != _first;

    /// <summary>Measured changes that were made, or may have been.</summary>
    public long Measured { get; private set; }

    /// <summary>The times from a change to each observer that saw it.</summary>
    public LoadHistogram Times { get; } = new();

    /// <summary>The same since it was cleared last, also of changes that are not measured.</summary>
    public LoadHistogram SecondTimes { get; } = new();

    /// <summary>The times from a change to the last observer.</summary>
    public LoadHistogram LastTimes { get; } = new();

    /// <summary>A change is about to be made.</summary>
    /// <param name="number">One more than that of the change before.</param>
    /// <param name="begun">From when its times count, a timestamp of the clock.</param>
    /// <param name="observers">How many are to see it.</param>
    /// <param name="isMeasured">Whether its times count.</param>
    public void Begin(long number, long begun, int observers, bool isMeasured)
    {
        if (!HasBegun)
        {
            _first = number;
        }

        _end = number + 1;
        _first = Math.Max(_first, _end - Capacity);
        _changes[number & (Capacity - 1)] = new Change
        {
            Begun = begun,
            Expected = observers,
            Waiting = observers,
            IsMeasured = isMeasured
        };
        Measured += isMeasured ? 1 : 0;
    }

    /// <summary>Making a change failed. If nobody has seen it, nobody will: then it is no change.</summary>
    public void Fail(long number)
    {
        ref Change change = ref _changes[number & (Capacity - 1)];
        if (change.Waiting == change.Expected)
        {
            Measured -= change.IsMeasured ? 1 : 0;
            change = new Change { IsVoid = true };
        }
    }

    /// <summary>An observer that had seen the changes up to one number sees a newer one.</summary>
    public void See(long before, long number, long now)
    {
        for (long n = Math.Max(before + 1, _first); n <= number && n < _end; n++)
        {
            ref Change change = ref _changes[n & (Capacity - 1)];
            if (change.IsVoid)
            {
                continue;
            }

            change.Waiting--;
            long time = (long)TimeProvider.System.GetElapsedTime(change.Begun, now).TotalNanoseconds;
            SecondTimes.Add(time);
            if (change.IsMeasured)
            {
                Times.Add(time);
                if (change.Waiting == 0)
                {
                    LastTimes.Add(time);
                }
            }
        }
    }

    private struct Change
    {
        public long Begun;
        public int Expected;
        public int Waiting;
        public bool IsMeasured;
        public bool IsVoid;
    }
}
