using CoAP.NET.Load.Figures;

namespace CoAP.NET.Load.Observing;

/// <summary>
/// The changes of a run by their consecutive numbers, with the number of observers that each still waits for. An observer that sees a
/// number has seen all before it, because servers may skip states (RFC 7641 section 1.3). Not thread-safe.
/// </summary>
internal sealed class ChangeDeliveryTracker
{
    // Discards older ones: an observer that missed so many changes appears in Converged, not in times.
    private const int Capacity = 1 << 16;

    private readonly Change[] _changes = new Change[Capacity];
    private long _first;
    private long _end;

    public bool HasBegun => _end != _first;

    /// <summary>Number of measured changes that took place, or may have.</summary>
    public long Measured { get; private set; }

    /// <summary>The times from a change to each observer that saw it.</summary>
    public LoadHistogram Times { get; } = new();

    /// <summary>The same since its last clearing, also for changes outside the measurement.</summary>
    public LoadHistogram SecondTimes { get; } = new();

    /// <summary>The times from a change to the last observer.</summary>
    public LoadHistogram LastTimes { get; } = new();

    /// <summary>Begins a change, before it is sent.</summary>
    /// <param name="number">The number of the previous change plus one.</param>
    /// <param name="begun">The start of its times, a timestamp of the clock.</param>
    /// <param name="observers">Number of observers that will see it.</param>
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

    /// <summary>Handles a change that failed. If no observer has seen it, none will: then it does not count.</summary>
    public void Fail(long number)
    {
        ref Change change = ref _changes[number & (Capacity - 1)];
        if (change.Waiting == change.Expected)
        {
            Measured -= change.IsMeasured ? 1 : 0;
            change = new Change { IsVoid = true };
        }
    }

    /// <summary>Handles an observer that sees a newer number than before.</summary>
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
