namespace CoAP.NET.Simulation.Fuzz;

/// <summary>Chance from a seed (SplitMix64): small and fast, as every mutation asks it several times.</summary>
internal sealed class FuzzRandom(ulong seed)
{
    private ulong _state = seed;

    public ulong NextUInt64() => Dice.Mix(_state += Dice.Step);

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
