namespace CoAP.NET.Simulation.Fuzz;

/// <summary>Chance from a seed (SplitMix64): small and fast, as every mutation asks it several times.</summary>
internal sealed class FuzzRandom(ulong seed)
{
    private ulong _state = seed;

    public ulong NextUInt64()
    {
        ulong z = _state += 0x9e37_79b9_7f4a_7c15;
        z = (z ^ (z >> 30)) * 0xbf58_476d_1ce4_e5b9;
        z = (z ^ (z >> 27)) * 0x94d0_49bb_1331_11eb;
        return z ^ (z >> 31);
    }

    /// <summary>A number from 0 to one below the bound; 0 for a bound of 0.</summary>
    public int Below(int bound) => (int)(((NextUInt64() >> 32) * (ulong)bound) >> 32);

    public byte NextByte() => (byte)NextUInt64();

    /// <summary>Whether one of so many chances is met.</summary>
    public bool OneOf(int chances) => Below(chances) == 0;

    public T Pick<T>(IReadOnlyList<T> list) => list[Below(list.Count)];

    /// <summary>Mixes two numbers into one, in the same way on every run and machine.</summary>
    public static ulong Mix(ulong left, ulong right)
    {
        ulong high = Math.BigMul(left ^ 0xa076_1d64_78bd_642f, right ^ 0xe703_7ed1_a0b4_28db, out ulong low);
        return high ^ low;
    }
}
