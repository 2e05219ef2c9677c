namespace CoAP.NET.Execution;

/// <summary>
/// Pseudo-random numbers for jitter (SplitMix64). For code under a shard's lock, which must not call the environment's random source; seed
/// it from that source. Not for secrets, and not thread-safe.
/// </summary>
internal struct JitterSequence(ulong seed)
{
    private ulong _state = seed;

    /// <summary>Returns a number of at least 0 and less than 1.</summary>
    public double Next()
    {
        ulong z = _state += 0x9e37_79b9_7f4a_7c15;
        z = (z ^ (z >> 30)) * 0xbf58_476d_1ce4_e5b9;
        z = (z ^ (z >> 27)) * 0x94d0_49bb_1331_11eb;
        return ((z ^ (z >> 31)) >> 11) * (1.0 / (1UL << 53));
    }
}
