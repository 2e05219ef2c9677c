namespace CoAP.NET.Messaging;

/// <summary>The times of transmission parameters in units of 100 ns, computed once and shared by all peers with these parameters.</summary>
internal sealed class TransmissionTimes
{
    // Times that are compared around a wrap of 651 days must stay well below half of it.
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(300);

    public TransmissionTimes(CoapTransmissionParameters parameters)
    {
        Parameters = parameters;
        AckTimeout = parameters.AckTimeout.Ticks;
        AckSpread = (long)(parameters.AckTimeout.Ticks * (parameters.AckRandomFactor - 1));
        PiggybackWindow = parameters.PiggybackWindow.Ticks;
        MaxTransmitSpan = Bounded(parameters.MaxTransmitSpan);
        MaxTransmitWait = Bounded(parameters.MaxTransmitWait);
        ShortestTimeout = Math.Max(RoundTripEstimate.Granularity, AckTimeout / 32);
        ExchangeLifetime = Bounded(parameters.ExchangeLifetime);
        NonLifetime = Bounded(parameters.NonLifetime);
        MessageIdLifetime = Math.Max(ExchangeLifetime, Bounded(parameters.MaxTransmitWait));
        TicksPerByte = double.IsPositiveInfinity(parameters.ProbingRate)
            ? 0
            : TimeSpan.TicksPerSecond / Math.Max(parameters.ProbingRate, 1e-6);
    }

    public CoapTransmissionParameters Parameters { get; }

    public long AckTimeout { get; }

    /// <summary>ACK_TIMEOUT * (ACK_RANDOM_FACTOR - 1): the range of the random part of the first timeout.</summary>
    public long AckSpread { get; }

    public long PiggybackWindow { get; }

    public CoapRetransmissionAlgorithm Timing => Parameters.RetransmissionTiming;

    public long MaxTransmitSpan { get; }

    public long MaxTransmitWait { get; }

    /// <summary>
    /// The lower bound of a measured timeout, 62.5 ms by default: on a fast network the delay comes from the peer and varies.
    /// </summary>
    public long ShortestTimeout { get; }

    public long ExchangeLifetime { get; }

    public long NonLifetime { get; }

    /// <summary>How long a Message ID is not reused: EXCHANGE_LIFETIME, and never while its message may still be outstanding.</summary>
    public long MessageIdLifetime { get; }

    /// <summary>
    /// How long a lost Non-confirmable message keeps its place in NSTART: as long as the first acknowledgement of a Confirmable one may
    /// take.
    /// </summary>
    public long NonConfirmableOutstandingTime => AckTimeout + AckSpread;

    /// <summary>1 / PROBING_RATE; 0 without such a limit.</summary>
    public double TicksPerByte { get; }

    public long LifetimeOf(CoapMessageType type) => type == CoapMessageType.Confirmable ? ExchangeLifetime : NonLifetime;

    /// <summary>
    /// Returns the minimum wait after some further copies, when round-trip times decide. They decide the first two waits. Later copies use
    /// the pace of the defaults, and so does the last wait in any case: a peer may take ACK_TIMEOUT to acknowledge, and a message lost in
    /// an outage of some seconds must not be given up.
    /// </summary>
    public long ShortestWait(int copies) =>
        copies >= 2 || copies >= Parameters.MaxRetransmit ? AckTimeout << Math.Clamp(copies - 2, 0, 20) : 0;

    private static long Bounded(TimeSpan time) => Math.Min(time.Ticks, s_longest.Ticks);
}
