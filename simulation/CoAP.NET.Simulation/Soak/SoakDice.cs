namespace CoAP.NET.Simulation.Soak;

/// <summary>Chance from a seed, for several threads (SplitMix64).</summary>
internal sealed class SoakDice(ulong seed)
{
    private ulong _state = seed;

    /// <summary>A number from 0 up to 1.</summary>
    public double Next()
    {
        ulong z = Interlocked.Add(ref _state, 0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)) * 0xbf58_476d_1ce4_e5b9;
        z = (z ^ (z >> 27)) * 0x94d0_49bb_1331_11eb;
        return ((z ^ (z >> 31)) >> 11) / (double)(1L << 53);
    }

    /// <summary>A number from 0 up to a bound.</summary>
    public int Next(int bound) => (int)(Next() * bound);
}
