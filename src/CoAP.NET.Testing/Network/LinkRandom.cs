namespace CoAP.NET.Testing.Network;

/// <summary>
/// The random numbers of one datagram. They depend only on the seed, the two addresses and the datagram's index among those from one to the
/// other. Other traffic, the order in which hosts were created, and changed probabilities do not shift them.
/// </summary>
internal ref struct LinkRandom
{
    private ulong _state;

    public LinkRandom(ulong seed, CoapAddress from, CoapAddress to, long ordinal)
    {
        ulong state = Mix(seed + 0x9e37_79b9_7f4a_7c15);
        state = Mix(state ^ from.High);
        state = Mix(state ^ from.Low);
        state = Mix(state ^ (((ulong)from.ScopeId << 16) | from.Port));
        state = Mix(state ^ to.High);
        state = Mix(state ^ to.Low);
        state = Mix(state ^ (((ulong)to.ScopeId << 16) | to.Port));
        _state = Mix(state ^ (ulong)ordinal);

        // Draws all numbers each time, so unused ones do not shift the others.
        Loss = Next();
        Duplication = Next();
        Corruption = Next();
        CorruptedAt = Next();
        CorruptedBy = Next();
        Reordering = Next();
        HeldBack = Next();
        Delay = Next();
        CopyDelay = Next();
    }

    public double Loss { get; }

    public double Duplication { get; }

    public double Corruption { get; }

    public double CorruptedAt { get; }

    public double CorruptedBy { get; }

    public double Reordering { get; }

    public double HeldBack { get; }

    public double Delay { get; }

    public double CopyDelay { get; }

    // The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
    private static ulong Mix(ulong z)
    {
        z = (z ^ (z >> 30)) * 0xbf58_476d_1ce4_e5b9;
        z = (z ^ (z >> 27)) * 0x94d0_49bb_1331_11eb;
        return z ^ (z >> 31);
    }

    private double Next() => (Mix(_state += 0x9e37_79b9_7f4a_7c15) >> 11) * (1.0 / (1UL << 53));
}
