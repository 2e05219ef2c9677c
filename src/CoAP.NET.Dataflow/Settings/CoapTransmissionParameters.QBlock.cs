namespace CoAP.NET;

// RFC 9177 section 7.2: the pace of the Non-confirmable payloads of Q-Block1 and Q-Block2.
public sealed partial record CoapTransmissionParameters
{
    private readonly int _maxPayloads = 10;
    private readonly int _nonMaxRetransmit = 4;
    private readonly TimeSpan? _nonTimeout;
    private readonly TimeSpan? _nonReceiveTimeout;
    private readonly TimeSpan? _nonPartialTimeout;

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
    /// <remarks>Default: <see cref="ExchangeLifetime"/>, 247 s; above zero, at most an hour (RFC 9177 section 7.2).</remarks>
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
