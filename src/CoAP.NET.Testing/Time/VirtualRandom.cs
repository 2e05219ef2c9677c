namespace CoAP.NET.Testing;

/// <summary>Generates random bytes from a seed: the same seed gives the same bytes on every machine. Thread-safe.</summary>
public sealed class VirtualRandom : CoapRandomSource
{
    private readonly Lock _gate = new();
    private ulong _state;

    /// <summary>Creates a source.</summary>
    /// <param name="seed">The seed; any number.</param>
    public VirtualRandom(ulong seed) => _state = seed;

    /// <inheritdoc/>
    public override void Fill(Span<byte> destination)
    {
        lock (_gate)
        {
            for (int i = 0; i < destination.Length; i += 8)
            {
                // SplitMix64 (Steele, Lea, Flood 2014): small, well mixed, and fully described by one number.
                ulong z = _state += 0x9e37_79b9_7f4a_7c15;
                z = (z ^ (z >> 30)) * 0xbf58_476d_1ce4_e5b9;
                z = (z ^ (z >> 27)) * 0x94d0_49bb_1331_11eb;
                z ^= z >> 31;
                for (int j = i; j < Math.Min(i + 8, destination.Length); j++, z >>= 8)
                {
                    destination[j] = (byte)z;
                }
            }
        }
    }
}
