namespace CoAP.NET;

/// <summary>The transmission parameters of RFC 7252 section 4.8, for one peer or as the default of an endpoint.</summary>
/// <remarks>Immutable: change with <c>with</c>. The derived times (section 4.8.2) are computed from these.</remarks>
public sealed record CoapTransmissionParameters
{
    /// <summary>Smallest value of <see cref="MaxMessageSize"/>.</summary>
    internal const int MinMessageSize = 64;

    private readonly int _maxPayloads = 10;
    private readonly int _nonMaxRetransmit = 4;
    private readonly TimeSpan? _nonTimeout;
    private readonly TimeSpan? _nonReceiveTimeout;
    private readonly TimeSpan? _nonPartialTimeout;
    private readonly TimeSpan _ackTimeout = TimeSpan.FromSeconds(2);
    private readonly double _ackRandomFactor = 1.5;
    private readonly int _maxRetransmit = 4;
    private readonly CoapRetransmissionAlgorithm _retransmissionTiming;
    private readonly int _nStart = 1;
    private readonly TimeSpan? _piggybackWindow;
    private readonly int? _extendedTokenLength;
    private readonly TimeSpan? _responseTimeout;
    private readonly TimeSpan _defaultLeisure = TimeSpan.FromSeconds(5);
    private readonly TimeSpan _maxLatency = TimeSpan.FromSeconds(100);
    private readonly double _probingRate = 1;
    private readonly int _preferredBlockSize = 1024;
    private readonly int _maxMessageSize = 1152;
    private readonly int _maxQueuedRequests = 1000;

    /// <summary>The values of RFC 7252 section 4.8.</summary>
    public static CoapTransmissionParameters Default { get; } = new();

    /// <summary>ACK_TIMEOUT: the shortest first wait for an acknowledgement.</summary>
    /// <remarks>
    /// Default 2 s. Values below 1 s need congestion control with round-trip times (RFC 7252 section 4.8.1), see
    /// <see cref="RetransmissionTiming"/>.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero, or above an hour.</exception>
    public TimeSpan AckTimeout
    {
        get => _ackTimeout;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value, TimeSpan.Zero);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TimeSpan.FromHours(1));
            _ackTimeout = value;
        }
    }

    /// <summary>ACK_RANDOM_FACTOR: the first wait is random between <see cref="AckTimeout"/> and this many times it.</summary>
    /// <remarks>Default 1.5; 1.0 to 10.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.0 (RFC 7252 section 4.8.1) or above 10.</exception>
    public double AckRandomFactor
    {
        get => _ackRandomFactor;
        init
        {
            if (!(value >= 1.0 && value <= 10.0))
            {
                throw new ArgumentOutOfRangeException(nameof(value), value,
                    "ACK_RANDOM_FACTOR must be at least 1.0 (RFC 7252 section 4.8.1) and at most 10.");
            }

            _ackRandomFactor = value;
        }
    }

    /// <summary>MAX_RETRANSMIT: the number of retransmissions of an unanswered Confirmable message.</summary>
    /// <remarks>Default 4; 0 to 20.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">Outside 0 to 20.</exception>
    public int MaxRetransmit
    {
        get => _maxRetransmit;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 20);
            _maxRetransmit = value;
        }
    }

    /// <summary>
    /// How long a Confirmable message waits before it is sent again: by <see cref="AckTimeout"/> alone or by measured round-trip times.
    /// </summary>
    /// <remarks>
    /// Default <see cref="CoapRetransmissionAlgorithm.Default"/>, which measures for the blocks of bodies only. With measuring,
    /// <see cref="AckTimeout"/> is the wait before the first measurement, and later waits may be shorter.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is not defined.</exception>
    public CoapRetransmissionAlgorithm RetransmissionTiming
    {
        get => _retransmissionTiming;
        init
        {
            _retransmissionTiming = Enum.IsDefined(value)
                ? value
                : throw new ArgumentOutOfRangeException(nameof(value), value, "The value is not a member of CoapRetransmissionAlgorithm.");
        }
    }

    /// <summary>NSTART: the maximum number of outstanding interactions with a peer.</summary>
    /// <remarks>Default 1; 1 to 65,535. Larger values need better congestion control (RFC 7252 section 4.7).</remarks>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 65,535.</exception>
    public int NStart
    {
        get => _nStart;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, ushort.MaxValue);
            _nStart = value;
        }
    }

    /// <summary>The maximum number of requests that wait for NSTART; beyond it a request fails at once.</summary>
    /// <remarks>Default 1,000; 0 to 1,000,000.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">Outside 0 to 1,000,000.</exception>
    public int MaxQueuedRequests
    {
        get => _maxQueuedRequests;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 1_000_000);
            _maxQueuedRequests = value;
        }
    }

    /// <summary>PROBING_RATE: the average rate towards a peer that does not respond, in bytes per second.</summary>
    /// <remarks>Default 1; above 0. <see cref="double.PositiveInfinity"/> switches the limit off (RFC 7252 section 4.7).</remarks>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero.</exception>
    public double ProbingRate
    {
        get => _probingRate;
        init => _probingRate = value > 0
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "PROBING_RATE must be above 0 bytes per second.");
    }

    /// <summary>
    /// DEFAULT_LEISURE: the period over which responses to a group request are spread, unless it is computed
    /// (<see cref="CoapGroupOptions.GroupSize"/>).
    /// </summary>
    /// <remarks>Default 5 s; 0 to 10 minutes (RFC 7252 section 8.2).</remarks>
    /// <exception cref="ArgumentOutOfRangeException">Outside 0 to 10 minutes.</exception>
    public TimeSpan DefaultLeisure
    {
        get => _defaultLeisure;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.Zero);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TimeSpan.FromMinutes(10));
            _defaultLeisure = value;
        }
    }

    /// <summary>MAX_LATENCY: the assumed maximum time that a datagram takes to arrive.</summary>
    /// <remarks>Default 100 s; up to a day (RFC 7252 section 4.8.2).</remarks>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero, or above a day.</exception>
    public TimeSpan MaxLatency
    {
        get => _maxLatency;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value, TimeSpan.Zero);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TimeSpan.FromDays(1));
            _maxLatency = value;
        }
    }

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
        get => _piggybackWindow ?? _ackTimeout / 4;
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
    /// <remarks>Default 1,152 (RFC 7252 section 4.6); 64 to 65,507.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">Outside 64 to 65,507.</exception>
    public int MaxMessageSize
    {
        get => _maxMessageSize;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, MinMessageSize);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 65_507);
            _maxMessageSize = value;
        }
    }

    /// <summary>The length of the tokens of requests to the peer, in bytes, if it supports long ones.</summary>
    /// <remarks>
    /// Null, the default, for tokens of 4 to 8 bytes; otherwise 9 to 65,804. The endpoint detects the support by itself, but not with
    /// requests under OSCORE (RFC 8974 section 2.2.2). It uses at most <see cref="CoapMessageLimits.MaxTokenLength"/>, because the token
    /// comes back with the response.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">Outside 9 to 65,804.</exception>
    public int? ExtendedTokenLength
    {
        get => _extendedTokenLength;
        init
        {
            if (value is { } length)
            {
                ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(length, CoapToken.MaxLength, nameof(value));
                ArgumentOutOfRangeException.ThrowIfGreaterThan(length, CoapToken.MaxExtendedLength, nameof(value));
            }

            _extendedTokenLength = value;
        }
    }

    /// <summary>
    /// How long a response may take after the acknowledgement before the request fails; default: MAX_TRANSMIT_WAIT plus twice
    /// <see cref="MaxLatency"/>.
    /// </summary>
    /// <remarks>
    /// For a Non-confirmable request, which has no acknowledgement, it counts from the call; default: NON_LIFETIME.
    /// <see cref="Timeout.InfiniteTimeSpan"/> for no limit.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">Below zero and not infinite.</exception>
    public TimeSpan? ResponseTimeout
    {
        get => _responseTimeout;
        init
        {
            if (value is { } timeout && timeout != Timeout.InfiniteTimeSpan)
            {
                ArgumentOutOfRangeException.ThrowIfLessThan(timeout, TimeSpan.Zero, nameof(value));
            }

            _responseTimeout = value;
        }
    }

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
    /// <remarks>Default 10; 1 to 1,000. Both peers need the same value (RFC 9177 section 7.2).</remarks>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,000.</exception>
    public int MaxPayloads
    {
        get => _maxPayloads;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 1000);
            _maxPayloads = value;
        }
    }

    /// <summary>NON_MAX_RETRANSMIT: the number of unsuccessful requests for missing payloads before the body is given up.</summary>
    /// <remarks>Default 4; 0 to 20 (RFC 9177 section 7.2).</remarks>
    /// <exception cref="ArgumentOutOfRangeException">Outside 0 to 20.</exception>
    public int NonMaxRetransmit
    {
        get => _nonMaxRetransmit;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 20);
            _nonMaxRetransmit = value;
        }
    }

    /// <summary>NON_TIMEOUT: the shortest pause after <see cref="MaxPayloads"/> payloads without a response.</summary>
    /// <remarks>
    /// The pause, NON_TIMEOUT_RANDOM, is random between it and <see cref="AckRandomFactor"/> times it. Default: <see cref="AckTimeout"/>, 2
    /// s; above zero, at most an hour (RFC 9177 section 7.2).
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero, or above an hour.</exception>
    public TimeSpan NonTimeout
    {
        get => _nonTimeout ?? _ackTimeout;
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
