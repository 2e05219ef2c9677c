namespace CoAP.NET.PubSub.Topics;

/// <summary>
/// How fast each source publishes to a topic: a bucket for each that fills with time. So one that publishes too fast waits, and nobody
/// else does.
/// </summary>
internal sealed class PublishRates
{
    // Beyond that the bucket that is fullest is forgotten, whose source published least of late.
    private const int MaxSources = 64;

    private readonly Lock _gate = new();
    private readonly Dictionary<CoapSource, (double Used, long At)> _buckets = [];

    /// <summary>Takes a publication from the bucket of a source.</summary>
    /// <param name="source">The source.</param>
    /// <param name="perSecond">How many a second, and how many at once.</param>
    /// <param name="time">The clock.</param>
    /// <returns>How long the publisher has to wait; null when it may publish.</returns>
    public TimeSpan? Take(in CoapSource source, double perSecond, TimeProvider time)
    {
        long now = time.GetTimestamp();
        lock (_gate)
        {
            double burst = Math.Max(1, perSecond);
            double used = _buckets.TryGetValue(source, out (double Used, long At) bucket)
                ? Math.Max(0, bucket.Used - (time.GetElapsedTime(bucket.At, now).TotalSeconds * perSecond))
                : 0;
            if (used + 1 > burst + 1e-9)
            {
                return TimeSpan.FromSeconds(Math.Ceiling((used + 1 - burst) / perSecond));
            }

            if (_buckets.Count >= MaxSources && !_buckets.ContainsKey(source))
            {
                _buckets.Remove(_buckets.MinBy(static each => each.Value.At).Key);
            }

            _buckets[source] = (used + 1, now);
            return null;
        }
    }
}
