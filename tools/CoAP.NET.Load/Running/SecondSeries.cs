using CoAP.NET.Load.Figures;

namespace CoAP.NET.Load.Running;

/// <summary>Computes figures per second from growing counts.</summary>
internal sealed class SecondSeries
{
    private Dictionary<long, long> _before = [];
    private long _at;

    /// <summary>Returns the figures since the last call.</summary>
    /// <param name="all">All counts so far.</param>
    /// <param name="now">Now, as a timestamp.</param>
    /// <param name="begun">The origin of <see cref="LoadSecond.At"/>.</param>
    public LoadSecond Next(LoadHistogram all, long now, long begun)
    {
        LoadHistogram since = new();
        Dictionary<long, long> counts = [];
        foreach ((long nanoseconds, long count) in all.Filled)
        {
            counts[nanoseconds] = count;

            // Threads keep counting during the read.
            since.Add(nanoseconds, Math.Max(0, count - _before.GetValueOrDefault(nanoseconds)));
        }

        double seconds = MonotonicTimestamp.ToSeconds(now - _at);
        (_before, _at) = (counts, now);
        return new LoadSecond(MonotonicTimestamp.ToSeconds(now - begun), seconds > 0 ? since.Count / seconds : 0, since.Microseconds(0.5),
            since.Microseconds(0.99));
    }

    public void Reset(LoadHistogram all, long now) =>
        (_before, _at) = (all.Filled.ToDictionary(static step => step.Nanoseconds, static step => step.Count), now);
}
