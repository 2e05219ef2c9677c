namespace CoAP.NET.Messaging;

/// <summary>The smoothed round-trip time and its variation (RFC 6298 section 2), in units of 100 ns. A struct inside its owner.</summary>
internal struct RoundTripEstimate
{
    /// <summary>The granularity G of RFC 6298, 13.1 ms: the minimum distance of a timeout from the round-trip time.</summary>
    public const long Granularity = 1 << 17;

    private long _smoothedPlusOne; // 0 without a sample
    private long _variation;

    public readonly bool HasSample => _smoothedPlusOne > 0;

    /// <summary>SRTT; only with a sample.</summary>
    public readonly long Smoothed => _smoothedPlusOne - 1;

    /// <summary>RTTVAR.</summary>
    public readonly long Variation => _variation;

    /// <summary>SRTT + max(G, K * RTTVAR).</summary>
    public readonly long Timeout(int k) => Smoothed + Math.Max(Granularity, k * _variation);

    public void Add(long sample)
    {
        if (!HasSample)
        {
            _smoothedPlusOne = sample + 1;
            _variation = sample / 2;
            return;
        }

        // RTTVAR first: it uses the previous SRTT.
        _variation += (Math.Abs(Smoothed - sample) - _variation) / 4;
        _smoothedPlusOne += (sample - Smoothed) / 8;
    }
}
