namespace CoAP.NET;

/// <summary>
/// The transmission parameters of RFC 7252 section 4.8, for one peer or as the default of an endpoint. Immutable: change with <c>with</c>.
/// The derived times (section 4.8.2) are computed from these.
/// </summary>
public sealed partial record CoapTransmissionParameters
{
    private readonly TimeSpan _ackTimeout = TimeSpan.FromSeconds(2);
    private readonly double _ackRandomFactor = 1.5;
    private readonly int _maxRetransmit = 4;
    private readonly CoapRetransmissionTiming _retransmissionTiming;
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

    /// <summary>
    /// ACK_TIMEOUT: the shortest first wait for an acknowledgement. Default 2 s. Below 1 s only with congestion control by round-trip times
    /// (RFC 7252 section 4.8.1), see <see cref="RetransmissionTiming"/>.
    /// </summary>
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

    /// <summary>
    /// ACK_RANDOM_FACTOR: the first wait is drawn between <see cref="AckTimeout"/> and this many times it. Default 1.5; 1.0 to 10.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.0 (RFC 7252 section 4.8.1) or above 10.</exception>
    public double AckRandomFactor
    {
        get => _ackRandomFactor;
        init
        {
            if (!(value >= 1.0 && value <= 10.0))
            {
                throw new ArgumentOutOfRangeException(nameof(value), value,
                    "ACK_RANDOM_FACTOR is at least 1.0 (RFC 7252 section 4.8.1) and at most 10.");
            }

            _ackRandomFactor = value;
        }
    }

    /// <summary>MAX_RETRANSMIT: how many times an unanswered Confirmable message is sent again. Default 4; 0 to 20.</summary>
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
    /// Default <see cref="CoapRetransmissionTiming.Default"/>. When measured, <see cref="AckTimeout"/> is the wait as long as nothing was
    /// measured, and copies may follow one another faster than it.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">None of the values.</exception>
    public CoapRetransmissionTiming RetransmissionTiming
    {
        get => _retransmissionTiming;
        init
        {
            _retransmissionTiming = Enum.IsDefined(value)
                ? value
                : throw new ArgumentOutOfRangeException(nameof(value), value, "There is no such timing.");
        }
    }

    /// <summary>
    /// NSTART: how many interactions with a peer may be outstanding at a time. Default 1; 1 to 65,535. A larger one asks for better
    /// congestion control (RFC 7252 section 4.7).
    /// </summary>
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

    /// <summary>How many requests may wait for NSTART; beyond it a request fails at once. Default 1,000; 0 to 1,000,000.</summary>
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

    /// <summary>
    /// PROBING_RATE: the average rate towards a peer that does not respond, in bytes a second. Default 1;
    /// <see cref="double.PositiveInfinity"/> switches the limit off (RFC 7252 section 4.7). Above 0.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero.</exception>
    public double ProbingRate
    {
        get => _probingRate;
        init => _probingRate = value > 0
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "PROBING_RATE is above 0 bytes a second.");
    }

    /// <summary>
    /// DEFAULT_LEISURE: the period over which answers to a request to a group are spread, unless it is computed
    /// (<see cref="CoapGroupOptions.GroupSize"/>). Default 5 s; 0 to 10 minutes (RFC 7252 section 8.2).
    /// </summary>
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

    /// <summary>
    /// MAX_LATENCY: the longest time that a datagram is taken to be under way. Default 100 s; up to a day (RFC 7252 section 4.8.2).
    /// </summary>
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
    /// How long an answer may take to ride on the acknowledgement; after that an Empty one is sent and the response becomes a separate one
    /// (RFC 7252 section 5.2.2). Default: a quarter of <see cref="AckTimeout"/>; 0 to 1 h. From <see cref="AckTimeout"/> on the peer
    /// repeats its request meanwhile.
    /// </summary>
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

    /// <summary>
    /// The block size that is proposed to the peer, in bytes: 16, 32, 64, 128, 256, 512 or 1,024. Default 1,024 (RFC 7959 section 2.2). Not
    /// on connections, whose peers say what they take.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Another number.</exception>
    public int PreferredBlockSize
    {
        get => _preferredBlockSize;
        init
        {
            if (value is not (16 or 32 or 64 or 128 or 256 or 512 or 1024))
            {
                throw new ArgumentOutOfRangeException(nameof(value), value,
                    "A block has 16, 32, 64, 128, 256, 512 or 1024 bytes (RFC 7959 section 2.2).");
            }

            _preferredBlockSize = value;
        }
    }

    /// <summary>
    /// The largest message that is sent to the peer in one datagram, in bytes. Default 1,152 (RFC 7252 section 4.6); 64 to 65,507.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 64 to 65,507.</exception>
    public int MaxMessageSize
    {
        get => _maxMessageSize;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 64);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 65_507);
            _maxMessageSize = value;
        }
    }

    /// <summary>
    /// The length of the tokens of requests to the peer, in bytes, where it understands long ones, which is found out by itself, but not by
    /// requests under OSCORE (RFC 8974 section 2.2.2); null, the default, for tokens of 4 to 8 bytes. 9 to 65,804, of which no more is used
    /// than <see cref="CoapLimits.MaxTokenLength"/> says, as the token comes back with the response.
    /// </summary>
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
    /// How long a response may take after the acknowledgement before the request fails with no response; default:
    /// <see cref="MaxTransmitWait"/> plus twice <see cref="MaxLatency"/>. For a Non-confirmable request, which nobody acknowledges, from
    /// the call; default: <see cref="NonLifetime"/>. <see cref="Timeout.InfiniteTimeSpan"/> for no limit.
    /// </summary>
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
    public TimeSpan ProcessingDelay => AckTimeout;

    /// <summary>
    /// MAX_TRANSMIT_SPAN: from the first transmission of a Confirmable message to its last (RFC 7252 section 4.8.2). 45 s by default.
    /// </summary>
    public TimeSpan MaxTransmitSpan => AckTimeout * (Math.Pow(2, MaxRetransmit) - 1) * AckRandomFactor;

    /// <summary>
    /// MAX_TRANSMIT_WAIT: from the first transmission of a Confirmable message to giving up (RFC 7252 section 4.8.2). 93 s by default.
    /// </summary>
    public TimeSpan MaxTransmitWait => AckTimeout * (Math.Pow(2, MaxRetransmit + 1) - 1) * AckRandomFactor;

    /// <summary>MAX_RTT: the longest round trip (RFC 7252 section 4.8.2). 202 s by default.</summary>
    public TimeSpan MaxRtt => (2 * MaxLatency) + ProcessingDelay;

    /// <summary>
    /// EXCHANGE_LIFETIME: how long a Message ID of a Confirmable message must not be used again (RFC 7252 section 4.8.2). 247 s by default.
    /// </summary>
    public TimeSpan ExchangeLifetime => MaxTransmitSpan + (2 * MaxLatency) + ProcessingDelay;

    /// <summary>
    /// NON_LIFETIME: how long a Message ID of a Non-confirmable message must not be used again (RFC 7252 section 4.8.2). 145 s by default.
    /// </summary>
    public TimeSpan NonLifetime => MaxTransmitSpan + MaxLatency;
}
