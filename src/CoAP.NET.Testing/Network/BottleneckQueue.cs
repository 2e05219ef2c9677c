namespace CoAP.NET.Testing.Network;

/// <summary>Computes when the datagrams in a <see cref="NetworkBottleneck"/> leave it. Guarded by the network's lock.</summary>
internal sealed class BottleneckQueue(NetworkBottleneck bottleneck)
{
    private readonly Queue<TimeSpan> _departures = new();
    private TimeSpan _last;

    /// <summary>Adds a datagram.</summary>
    /// <returns>The time until it has left; null when the queue is full.</returns>
    public TimeSpan? Enter(int bytes, TimeSpan now)
    {
        while (_departures.TryPeek(out TimeSpan departure) && departure <= now)
        {
            _departures.Dequeue();
        }

        // The first one in the queue is being sent and does not wait.
        if (_departures.Count > bottleneck.QueueLength)
        {
            return null;
        }

        _last = (_last > now ? _last : now) + bottleneck.TimeFor(bytes);
        _departures.Enqueue(_last);
        return _last - now;
    }
}
