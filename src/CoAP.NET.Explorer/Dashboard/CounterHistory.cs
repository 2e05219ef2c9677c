using CoAP.NET.Diagnostics;

namespace CoAP.NET.Explorer.Dashboard;

/// <summary>The counters of an endpoint, second by second for a minute. One thread at a time.</summary>
internal sealed class CounterHistory(CoapCounters counters)
{
    private const int Seconds = 60;

    /// <summary>The counters of dropped messages and their names.</summary>
    public static readonly IReadOnlyList<(CoapCounter Counter, string Reason)> Drops =
    [
        (CoapCounter.KernelDrops, "receive buffer of the system full"),
        (CoapCounter.TruncatedDatagrams, "datagram too long"),
        (CoapCounter.SendErrors, "the system did not send it"),
        (CoapCounter.Declined, "declined by a linked block"),
        (CoapCounter.FormatErrors, "not a CoAP message"),
        (CoapCounter.EncodeErrors, "own message cannot be encoded"),
        (CoapCounter.Ignored, "ignored according to RFC 7252"),
        (CoapCounter.UnmatchedAcknowledgements, "acknowledgement without a message"),
        (CoapCounter.UnmatchedResponses, "response without a request"),
        (CoapCounter.LateResponses, "response came too late"),
        (CoapCounter.NotSent, "too many messages wait to be sent"),
        (CoapCounter.AmplificationRefused, "address not verified (amplification)"),
        (CoapCounter.ResponsesNotWanted, "response not wanted"),
        (CoapCounter.ResponsesTooLarge, "response too large for the peer"),
        (CoapCounter.FramesRefused, "frame too large"),
        (CoapCounter.RefusedNotifications, "notification of a cancelled observation"),
        (CoapCounter.NotificationsNotHeld, "notification not held"),
        (CoapCounter.NotificationsOutOfOrder, "notification overtaken"),
        (CoapCounter.GroupAnswersKeptBack, "answer to a group kept back"),
        (CoapCounter.GroupAnswersDropped, "answer to a group dropped"),
        (CoapCounter.GroupResponsesDropped, "response of a group dropped"),
        (CoapCounter.RepeatedGroupResponses, "response of a group repeated"),
        (CoapCounter.RecordsRejected, "record without a DTLS session"),
        (CoapCounter.TransmissionsGivenUp, "never acknowledged"),
    ];

    /// <summary>The counters of requests refused before their handler, and their names.</summary>
    public static readonly IReadOnlyList<(CoapCounter Counter, string Reason)> Refusals =
    [
        (CoapCounter.Busy, "a limit was reached"),
        (CoapCounter.RequestsLimited, "rate limit of a route"),
        (CoapCounter.BadOptions, "unknown critical option"),
        (CoapCounter.EchoChallenges, "asked for an Echo"),
        (CoapCounter.RegistrationsRefused, "no room for an observer"),
        (CoapCounter.ArgumentsRefused, "argument missing or wrong"),
        (CoapCounter.RequestsBeyondQuota, "share of the source used up"),
        (CoapCounter.RequestsNotQueued, "queue of the handler full"),
    ];

    private static readonly int s_kinds = Enum.GetValues<CoapCounter>().Length;

    private readonly Queue<long[]> _past = new();
    private long[] _before = Read(counters);
    private long[] _last = Read(counters);

    /// <summary>Ends a second.</summary>
    public void Turn()
    {
        _before = _last;
        _past.Enqueue(_before);
        if (_past.Count > Seconds)
        {
            _past.Dequeue();
        }

        _last = Read(counters);
    }

    public long Total(CoapCounter counter) => _last[(int)counter];

    /// <summary>Returns the growth of a counter in the last second.</summary>
    public long InSecond(CoapCounter counter) => _last[(int)counter] - _before[(int)counter];

    /// <summary>Returns the growth of some counters in the last second.</summary>
    public long InSecond(IReadOnlyList<(CoapCounter Counter, string Reason)> some) => some.Sum(one => InSecond(one.Counter));

    /// <summary>Returns the growth of a counter in the last minute, or since the first viewer came.</summary>
    public long InMinute(CoapCounter counter) => _past.TryPeek(out long[]? first) ? _last[(int)counter] - first[(int)counter] : 0;

    private static long[] Read(CoapCounters counters)
    {
        long[] values = new long[s_kinds];
        for (int i = 0; i < values.Length; i++)
        {
            values[i] = counters[(CoapCounter)i];
        }

        return values;
    }
}
