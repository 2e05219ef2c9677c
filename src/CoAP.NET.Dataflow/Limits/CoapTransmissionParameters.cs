namespace CoAP.NET;

/// <summary>The transmission parameters of RFC 7252 section 4.8, for one peer or as the default of an endpoint.</summary>
/// <remarks>Immutable: change with <c>with</c>. The derived times (section 4.8.2) are computed from these.</remarks>
[HasSettings]
public sealed partial record CoapTransmissionParameters
{
    /// <summary>Smallest value of <see cref="MaxMessageSize"/>.</summary>
    internal const int MinMessageSize = 64;

    private readonly TimeSpan? _nonTimeout;
    private readonly TimeSpan? _nonReceiveTimeout;
    private readonly TimeSpan? _nonPartialTimeout;
    private readonly TimeSpan? _piggybackWindow;
    private readonly int _preferredBlockSize = 1024;

    /// <summary>The values of RFC 7252 section 4.8.</summary>
    public static CoapTransmissionParameters Default { get; } = new();

    /// <summary>ACK_TIMEOUT: the shortest first wait for an acknowledgement.</summary>
    /// <remarks>
    /// Values below 1 s need congestion control with round-trip times (RFC 7252 section 4.8.1), see
    /// <see cref="RetransmissionTiming"/>.
    /// </remarks>
    [TimeRange(0, Seconds.Hour, IsMinExcluded = true)]
    public partial TimeSpan AckTimeout { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>ACK_RANDOM_FACTOR: the first wait is random between <see cref="AckTimeout"/> and this many times it.</summary>
    [FactorRange(1, 10)]
    public partial double AckRandomFactor { get; init; } = 1.5;

    /// <summary>MAX_RETRANSMIT: the number of retransmissions of an unanswered Confirmable message.</summary>
    [NumberRange(0, 20)]
    public partial int MaxRetransmit { get; init; } = 4;

    /// <summary>
    /// How long a Confirmable message waits before it is sent again: by <see cref="AckTimeout"/> alone or by measured round-trip times.
    /// </summary>
    /// <remarks>
    /// Default <see cref="CoapRetransmissionAlgorithm.Default"/>, which measures for the blocks of bodies only. With measuring,
    /// <see cref="AckTimeout"/> is the wait before the first measurement, and later waits may be shorter.
    /// </remarks>
    [DefinedMember]
    public partial CoapRetransmissionAlgorithm RetransmissionTiming { get; init; }

    /// <summary>NSTART: the maximum number of outstanding interactions with a peer.</summary>
    /// <remarks>Larger values need better congestion control (RFC 7252 section 4.7).</remarks>
    [NumberRange(1, ushort.MaxValue)]
    public partial int NStart { get; init; } = 1;

    /// <summary>The maximum number of requests that wait for NSTART; beyond it a request fails at once.</summary>
    [NumberRange(0, 1_000_000)]
    public partial int MaxQueuedRequests { get; init; } = 1000;

    /// <summary>PROBING_RATE: the average rate towards a peer that does not respond, in bytes per second.</summary>
    /// <remarks><see cref="double.PositiveInfinity"/> switches the limit off (RFC 7252 section 4.7).</remarks>
    [FactorRange(0, double.PositiveInfinity, IsMinExcluded = true)]
    public partial double ProbingRate { get; init; } = 1;

    /// <summary>
    /// DEFAULT_LEISURE: the period over which responses to a group request are spread, unless it is computed
    /// (<see cref="CoapGroupOptions.GroupSize"/>).
    /// </summary>
    /// <remarks>See RFC 7252 section 8.2.</remarks>
    [TimeRange(0, 10 * Seconds.Minute)]
    public partial TimeSpan DefaultLeisure { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>MAX_LATENCY: the assumed maximum time that a datagram takes to arrive.</summary>
    /// <remarks>See RFC 7252 section 4.8.2.</remarks>
    [TimeRange(0, Seconds.Day, IsMinExcluded = true)]
    public partial TimeSpan MaxLatency { get; init; } = TimeSpan.FromSeconds(100);

    /// <summary>
    /// How long a response may take to be piggybacked on the acknowledgement; after that the endpoint sends an Empty one and the response
    /// is separate (RFC 7252 section 5.2.2).
    /// </summary>
    /// <remarks>
    /// Default: a quarter of <see cref="AckTimeout"/>; 0 to 1 h. From <see cref="AckTimeout"/> on the peer retransmits its request
    /// meanwhile.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">Below zero or above an hour.</exception>
    public TimeSpan PiggybackWindow
    {
        get => _piggybackWindow ?? AckTimeout / 4;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.Zero);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TimeSpan.FromHours(1));
            _piggybackWindow = value;
        }
    }

    /// <summary>The block size that is proposed to the peer, in bytes: 16, 32, 64, 128, 256, 512 or 1,024.</summary>
    /// <remarks>Default 1,024 (RFC 7959 section 2.2). Ignored on connections, whose peers announce what they accept.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The number is not one of these sizes.</exception>
    public int PreferredBlockSize
    {
        get => _preferredBlockSize;
        init
        {
            if (value is not (16 or 32 or 64 or 128 or 256 or 512 or 1024))
            {
                throw new ArgumentOutOfRangeException(nameof(value), value,
                    "A block size must be 16, 32, 64, 128, 256, 512 or 1024 bytes (RFC 7959 section 2.2).");
            }

            _preferredBlockSize = value;
        }
    }

    /// <summary>The maximum size of a message to the peer in one datagram, in bytes.</summary>
    /// <remarks>See RFC 7252 section 4.6.</remarks>
    [NumberRange(MinMessageSize, 65_507, IsBytes = true)]
    public partial int MaxMessageSize { get; init; } = 1152;

    /// <summary>The length of the tokens of requests to the peer, in bytes, if it supports long ones.</summary>
    /// <remarks>
    /// Null, the default, for tokens of 4 to 8 bytes; otherwise 9 to 65,804. The endpoint detects the support by itself, but not with
    /// requests under OSCORE (RFC 8974 section 2.2.2). It uses at most <see cref="CoapMessageLimits.MaxTokenLength"/>, because the token
    /// comes back with the response.
    /// </remarks>
    [NumberRange(CoapToken.MaxLength + 1, CoapToken.MaxExtendedLength)]
    public partial int? ExtendedTokenLength { get; init; }

    /// <summary>
    /// How long a response may take after the acknowledgement before the request fails; default: MAX_TRANSMIT_WAIT plus twice
    /// <see cref="MaxLatency"/>.
    /// </summary>
    /// <remarks>
    /// For a Non-confirmable request, which has no acknowledgement, it counts from the call; default: NON_LIFETIME.
    /// <see cref="Timeout.InfiniteTimeSpan"/> for no limit.
    /// </remarks>
    [TimeRange(0, OrInfinite = true)]
    public partial TimeSpan? ResponseTimeout { get; init; }

    /// <summary>
    /// PROCESSING_DELAY: the time from receiving a Confirmable message to acknowledging it; equals ACK_TIMEOUT (RFC 7252 section 4.8.2).
    /// </summary>
    internal TimeSpan ProcessingDelay => AckTimeout;

    /// <summary>
    /// MAX_TRANSMIT_SPAN: the time from the first transmission of a Confirmable message to its last (RFC 7252 section 4.8.2).
    /// </summary>
    /// <remarks>45 s by default.</remarks>
    internal TimeSpan MaxTransmitSpan => AckTimeout * (Math.Pow(2, MaxRetransmit) - 1) * AckRandomFactor;

    /// <summary>
    /// MAX_TRANSMIT_WAIT: the time from the first transmission of a Confirmable message to giving up (RFC 7252 section 4.8.2).
    /// </summary>
    /// <remarks>93 s by default.</remarks>
    internal TimeSpan MaxTransmitWait => AckTimeout * (Math.Pow(2, MaxRetransmit + 1) - 1) * AckRandomFactor;

    /// <summary>MAX_RTT: the longest round trip (RFC 7252 section 4.8.2).</summary>
    /// <remarks>202 s by default.</remarks>
    internal TimeSpan MaxRtt => (2 * MaxLatency) + ProcessingDelay;

    /// <summary>EXCHANGE_LIFETIME: how long the Message ID of a Confirmable message must not be reused (RFC 7252 section 4.8.2).</summary>
    /// <remarks>247 s by default.</remarks>
    internal TimeSpan ExchangeLifetime => MaxTransmitSpan + (2 * MaxLatency) + ProcessingDelay;

    /// <summary>NON_LIFETIME: how long the Message ID of a Non-confirmable message must not be reused (RFC 7252 section 4.8.2).</summary>
    /// <remarks>145 s by default.</remarks>
    internal TimeSpan NonLifetime => MaxTransmitSpan + MaxLatency;

    /// <summary>MAX_PAYLOADS: the number of payloads of a body that are sent without a pause.</summary>
    /// <remarks>Both peers need the same value (RFC 9177 section 7.2).</remarks>
    [NumberRange(1, 1000)]
    public partial int MaxPayloads { get; init; } = 10;

    /// <summary>NON_MAX_RETRANSMIT: the number of unsuccessful requests for missing payloads before the body is given up.</summary>
    /// <remarks>See RFC 9177 section 7.2.</remarks>
    [NumberRange(0, 20)]
    public partial int NonMaxRetransmit { get; init; } = 4;

    /// <summary>NON_TIMEOUT: the shortest pause after <see cref="MaxPayloads"/> payloads without a response.</summary>
    /// <remarks>
    /// The pause, NON_TIMEOUT_RANDOM, is random between it and <see cref="AckRandomFactor"/> times it. Default: <see cref="AckTimeout"/>, 2
    /// s; above zero, at most an hour (RFC 9177 section 7.2).
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero, or above an hour.</exception>
    public TimeSpan NonTimeout
    {
        get => _nonTimeout ?? AckTimeout;
        init => _nonTimeout = UpToAnHour(value);
    }

    /// <summary>
    /// NON_RECEIVE_TIMEOUT: the wait for missing payloads before the first request for them; it doubles for each further request.
    /// </summary>
    /// <remarks>
    /// Default: twice <see cref="NonTimeout"/>, 4 s; above zero, at most an hour. It should be a second above the longest pause of the
    /// other side (RFC 9177 section 7.2).
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero, or above an hour.</exception>
    public TimeSpan NonReceiveTimeout
    {
        get => _nonReceiveTimeout ?? 2 * NonTimeout;
        init => _nonReceiveTimeout = UpToAnHour(value);
    }

    /// <summary>NON_PARTIAL_TIMEOUT: how long an incomplete body is kept without new payloads.</summary>
    /// <remarks>Default: EXCHANGE_LIFETIME, 247 s; above zero, at most an hour (RFC 9177 section 7.2).</remarks>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero, or above an hour.</exception>
    public TimeSpan NonPartialTimeout
    {
        get => _nonPartialTimeout ?? ExchangeLifetime;
        init => _nonPartialTimeout = UpToAnHour(value);
    }

    private static TimeSpan UpToAnHour(TimeSpan value)
    {
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TimeSpan.FromHours(1));
        return value;
    }
}
