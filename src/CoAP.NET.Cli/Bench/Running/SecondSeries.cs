namespace CoAP.NET.Cli.Bench;

/// <summary>Makes figures of single seconds out of ever growing counts.</summary>
internal sealed class SecondSeries
{
    private Dictionary<long, long> _before = [];
    private long _at;

    /// <summary>What was answered since the last call.</summary>
    /// <param name="all">Everything so far.</param>
    /// <param name="now">Now, as a time stamp.</param>
    /// <param name="begun">When the time that <see cref="LoadSecond.At"/> counts from began.</param>
    public LoadSecond Next(LoadHistogram all, long now, long begun)
    {
        LoadHistogram since = new();
        Dictionary<long, long> counts = [];
        foreach ((long nanoseconds, long count) in all.Filled)
        {
            counts[nanoseconds] = count;

            // Threads go on counting while this is read.
            since.Add(nanoseconds, Math.Max(0, count - _before.GetValueOrDefault(nanoseconds)));
        }

        double seconds = Stamp.ToSeconds(now - _at);
        (_before, _at) = (counts, now);
        return new LoadSecond(Stamp.ToSeconds(now - begun), seconds > 0 ? since.Count / seconds : 0, since.Microseconds(0.5),
            since.Microseconds(0.99));
    }

    /// <summary>Begins anew.</summary>
    public void Reset(LoadHistogram all, long now) =>
        (_before, _at) = (all.Filled.ToDictionary(static step => step.Nanoseconds, static step => step.Count), now);
}
