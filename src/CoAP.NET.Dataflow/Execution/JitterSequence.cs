namespace CoAP.NET;

/// <summary>
/// Numbers that spread things in time (SplitMix64). For code under a shard's lock, where the environment's random source must not be
/// called; seed it from that one. Not for secrets, and not thread-safe.
/// </summary>
internal struct JitterSequence(ulong seed)
{
    private ulong _state = seed;

    /// <summary>A number from 0 up to 1.</summary>
    public double Next()
    {
        ulong z = _state += 0x9e37_79b9_7f4a_7c15;
        z = (z ^ (z >> 30)) * 0xbf58_476d_1ce4_e5b9;
        z = (z ^ (z >> 27)) * 0x94d0_49bb_1331_11eb;
        return ((z ^ (z >> 31)) >> 11) * (1.0 / (1UL << 53));
    }
}
