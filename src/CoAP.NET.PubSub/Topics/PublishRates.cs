using CoAP.NET.Execution;

namespace CoAP.NET.PubSub.Topics;

/// <summary>
/// Limits the publication rate of each source to a topic with a token bucket per source. A source that publishes too fast waits; the others
/// do not.
/// </summary>
internal sealed class PublishRates
{
    // Above this number the fullest bucket is forgotten, whose source published longest ago.
    private const int MaxSources = 64;

    private readonly Lock _gate = new();
    private readonly LruDictionary<CoapQuotaSource, (double Used, long At)> _buckets = new(MaxSources);

    /// <summary>Takes one publication from the bucket of a source.</summary>
    /// <param name="source">The source.</param>
    /// <param name="perSecond">Publications per second, which is also the burst size.</param>
    /// <param name="time">The clock.</param>
    /// <returns>The time that the publisher has to wait; null if it may publish.</returns>
    public TimeSpan? Take(in CoapQuotaSource source, double perSecond, TimeProvider time)
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

            _buckets.Set(source, (used + 1, now));
            return null;
        }
    }
}
