using CoAP.NET.Execution;
using CoAP.NET.Guarding;

namespace CoAP.NET.PubSub.Topics;

/// <summary>
/// Limits the publication rate of each source to a topic. A source that publishes too fast waits; the others do not. A topic has few
/// publishers: some 150 bytes for each of them, where a <see cref="SourceRateLimiter"/> would have 32 KiB.
/// </summary>
internal sealed class PublishRates
{
    // Above this number the rate of the source is forgotten that published longest ago.
    private const int MaxSources = 64;

    private readonly Lock _gate = new();
    private readonly LruDictionary<CoapQuotaSource, long> _until = new(MaxSources);

    /// <summary>Counts one publication of a source.</summary>
    /// <param name="source">The source.</param>
    /// <param name="perSecond">Publications per second, which is also the burst size.</param>
    /// <param name="time">The clock.</param>
    /// <returns>The time that the publisher has to wait; null if it may publish.</returns>
    public TimeSpan? Take(in CoapQuotaSource source, double perSecond, TimeProvider time)
    {
        RateLimit rate = RateLimit.PerSecond(perSecond, Math.Max(1, perSecond));
        long now = CoapEnvironment.ReadClock(time);
        lock (_gate)
        {
            long until = _until.TryGetValue(source, out long known) ? known : long.MinValue;
            if (!rate.TryDraw(until, 1, now, out long next))
            {
                return TimeSpan.FromSeconds(Math.Ceiling(rate.WaitAt(until, now).TotalSeconds));
            }

            _until.Set(source, next);
            return null;
        }
    }
}
