namespace CoAP.NET.Simulation.Faults;

/// <summary>Chance from a seed (SplitMix64).</summary>
internal sealed class Dice(ulong seed)
{
    private ulong _state = seed;

    /// <summary>A number from 0 up to, but not including, a bound.</summary>
    public int Next(int bound)
    {
        ulong z = _state += 0x9e37_79b9_7f4a_7c15;
        z = (z ^ (z >> 30)) * 0xbf58_476d_1ce4_e5b9;
        z = (z ^ (z >> 27)) * 0x94d0_49bb_1331_11eb;
        return (int)((z ^ (z >> 31)) % (ulong)bound);
    }
}
