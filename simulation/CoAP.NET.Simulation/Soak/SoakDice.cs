namespace CoAP.NET.Simulation.Soak;

/// <summary>Chance from a seed, for several threads (SplitMix64).</summary>
internal sealed class SoakDice(ulong seed)
{
    private ulong _state = seed;

    /// <summary>A number from 0 up to 1.</summary>
    public double Next() => (Dice.Mix(Interlocked.Add(ref _state, Dice.Step)) >> 11) / (double)(1L << 53);

    /// <summary>A number from 0 up to a bound.</summary>
    public int Next(int bound) => (int)(Next() * bound);
}
