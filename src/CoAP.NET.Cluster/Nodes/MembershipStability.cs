using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>
/// Determines when the set of nodes that share slots counts as stable: some time after the last change, longer if many nodes join. Not
/// thread-safe.
/// </summary>
/// <param name="settleTime">The time.</param>
/// <param name="time">The clock.</param>
internal sealed class MembershipStability(TimeSpan settleTime, TimeProvider time)
{
    private const int JoinsOfOrder = 3;
    private static readonly TimeSpan s_window = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan s_longest = TimeSpan.FromMinutes(1);

    private readonly Queue<long> _joins = [];
    private HashSet<CoapNodeId> _members = [];
    private long _changed = time.GetTimestamp();

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

    /// <summary>Returns the remaining time in whole milliseconds; zero if the set is stable.</summary>
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

    /// <summary>
    /// Rounds a time up to whole milliseconds. Waits ignore fractions; without rounding, a caller would find a fraction left and loop
    /// without waiting.
    /// </summary>
    public static TimeSpan InWholeMilliseconds(TimeSpan time) => TimeSpan.FromMilliseconds(Math.Ceiling(time.TotalMilliseconds));
}
