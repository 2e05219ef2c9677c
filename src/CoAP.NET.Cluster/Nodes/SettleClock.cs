namespace CoAP.NET.Cluster;

/// <summary>
/// How long to wait until the nodes that share slots count as settled: a while after the last one came or went, longer when many come.
/// Not thread-safe.
/// </summary>
/// <param name="settleTime">How long.</param>
/// <param name="time">The clock.</param>
internal sealed class SettleClock(TimeSpan settleTime, TimeProvider time)
{
    private const int JoinsOfOrder = 3;
    private static readonly TimeSpan s_window = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan s_longest = TimeSpan.FromMinutes(1);

    private readonly Queue<long> _joins = [];
    private HashSet<CoapNodeId> _members = [];
    private long _changed = time.GetTimestamp();

    /// <summary>Takes note of who shares the slots.</summary>
    /// <param name="members">Those who do.</param>
    public void See(IReadOnlyList<CoapNodeId> members)
    {
        if (_members.SetEquals(members))
        {
            return;
        }

        long now = time.GetTimestamp();
        foreach (CoapNodeId member in members)
        {
            if (!_members.Contains(member))
            {
                _joins.Enqueue(now);
            }
        }

        _members = [.. members];
        _changed = now;
    }

    /// <summary>How long it still takes, in whole milliseconds; zero when they are settled.</summary>
    public TimeSpan Left()
    {
        while (_joins.TryPeek(out long joined) && time.GetElapsedTime(joined) > s_window)
        {
            _joins.Dequeue();
        }

        TimeSpan wait = settleTime;
        for (int further = _joins.Count - JoinsOfOrder - 1; further > 0 && wait < s_longest; further--)
        {
            wait *= 2;
        }

        TimeSpan left = (wait < s_longest || settleTime > s_longest ? wait : s_longest) - time.GetElapsedTime(_changed);
        return left > TimeSpan.Zero ? InWholeMilliseconds(left) : TimeSpan.Zero;
    }

    /// <summary>A time so that who waits for it and then looks again does not find a part of a millisecond left: waits leave that out, so
    /// that one would look again and again, without waiting, until it is over.</summary>
    /// <param name="time">The time.</param>
    public static TimeSpan InWholeMilliseconds(TimeSpan time) => TimeSpan.FromMilliseconds(Math.Ceiling(time.TotalMilliseconds));
}
