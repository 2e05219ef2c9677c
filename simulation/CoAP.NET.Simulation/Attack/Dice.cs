namespace CoAP.NET.Simulation.Attack;

/// <summary>Chance of an attacker: SplitMix64, without a lock.</summary>
internal sealed class Dice(ulong seed)
{
    private ulong _state = seed;

    public ulong Next()
    {
        ulong z = _state += 0x9e37_79b9_7f4a_7c15;
        z = (z ^ (z >> 30)) * 0xbf58_476d_1ce4_e5b9;
        z = (z ^ (z >> 27)) * 0x94d0_49bb_1331_11eb;
        return z ^ (z >> 31);
    }

    public int Below(int bound) => (int)(Next() % (uint)bound);
}
