namespace CoAP.NET.Simulation;

/// <summary>
/// Chance from a seed (SplitMix64), for one thread. Everything that a scenario is made of is drawn from one of these before the run begins.
/// </summary>
internal sealed class Dice(ulong seed)
{
    /// <summary>What is added to the state for each number.</summary>
    public const ulong Step = 0x9e37_79b9_7f4a_7c15;

    private ulong _state = seed;

    public ulong Next() => Mix(_state += Step);

    /// <summary>The number of a state.</summary>
    public static ulong Mix(ulong z)
    {
        z = (z ^ (z >> 30)) * 0xbf58_476d_1ce4_e5b9;
        z = (z ^ (z >> 27)) * 0x94d0_49bb_1331_11eb;
        return z ^ (z >> 31);
    }

    /// <summary>A number from 0 up to, but not including, a bound.</summary>
    public int Below(int bound) => (int)(Next() % (uint)bound);

    /// <summary>A number from the first one up to, but not including, the second one.</summary>
    public int Between(int from, int to) => from + (int)(Next() % (ulong)(to - from));

    /// <summary>True so many times in a hundred.</summary>
    public bool Chance(int percent) => Between(0, 100) < percent;

    public T Pick<T>(params ReadOnlySpan<T> choices) => choices[Between(0, choices.Length)];

    /// <summary>The bytes that a number stands for: whoever knows the number can check them.</summary>
    public static void Fill(ulong number, Span<byte> bytes)
    {
        Dice dice = new(number * 0x2545_f491_4f6c_dd1d);
        for (int i = 0; i < bytes.Length; i += 8)
        {
            ulong next = dice.Next();
            for (int j = i; j < Math.Min(i + 8, bytes.Length); j++, next >>= 8)
            {
                bytes[j] = (byte)next;
            }
        }
    }
}
