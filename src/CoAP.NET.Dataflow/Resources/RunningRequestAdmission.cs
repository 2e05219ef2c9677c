namespace CoAP.NET.Resources;

/// <summary>Decides whether another request is admitted, and how it is answered if not.</summary>
/// <param name="environment">The counters and the clock.</param>
/// <param name="served">The running requests.</param>
/// <param name="busy">The response if there is no room.</param>
internal sealed class RunningRequestAdmission(CoapEnvironment environment, RunningRequestCounter served, CoapResult busy)
{
    /// <summary>The response if there is no room.</summary>
    public CoapResult Busy => busy;

    /// <summary>Counts a request in.</summary>
    /// <param name="exchange">The request.</param>
    /// <param name="continues">Whether it completes something that is running.</param>
    /// <param name="isOurs">Whether it is a run for observers, and not a request of a peer.</param>
    /// <returns>Null if it is admitted; otherwise its response.</returns>
    public CoapResult? Enter(CoapExchange exchange, bool continues, bool isOurs)
    {
        CoapChannel channel = exchange.Channel;
        int shard = channel.Shard.Index;
        bool isTooLate = served.IsStopping && (isOurs || exchange.IsLate);
        long free = 0;
        RequestAdmissionVerdict verdict = isTooLate
            ? RequestAdmissionVerdict.Full
            : Take(channel, served.TryEnter(shard, out free), free, isBeyond: false, isOurs);
        if (verdict != RequestAdmissionVerdict.Enters && continues && !isTooLate)
        {
            verdict = Take(channel, served.TryEnterBeyond(shard, isOurs, out free), free, isBeyond: true, isOurs);
        }

        if (verdict == RequestAdmissionVerdict.Enters)
        {
            return null;
        }

        CoapCounter counter = verdict == RequestAdmissionVerdict.Full ? CoapCounter.Busy : CoapCounter.RequestsBeyondQuota;
        environment.Counters.Add(counter);
        channel.NoteDrop(counter);

        // A client that proves that it receives at its address has its own share.
        return verdict == RequestAdmissionVerdict.Unverified ? CoapResults.FreshnessRequired() : busy;
    }

    private RequestAdmissionVerdict Take(CoapChannel channel, bool hasEntered, long free, bool isBeyond, bool isOurs)
    {
        if (!hasEntered)
        {
            return RequestAdmissionVerdict.Full;
        }

        RequestAdmissionVerdict verdict = isOurs || free == long.MaxValue
            ? RequestAdmissionVerdict.Enters
            : served.Quota.Look(channel, free, isBeyond, environment.Now);
        if (verdict != RequestAdmissionVerdict.Enters)
        {
            served.Exit(channel.Shard.Index);
        }

        return verdict;
    }
}
