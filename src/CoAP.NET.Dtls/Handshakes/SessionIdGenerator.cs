namespace CoAP.NET.Dtls.Handshakes;

/// <summary>Names sessions that several servers may resume: random bytes, with the slot first if there is one.</summary>
/// <param name="Random">The source of names.</param>
/// <param name="Slot">The slot; null without slots.</param>
internal readonly record struct SessionIdGenerator(CoapRandomSource Random, byte? Slot)
{
    /// <summary>Bytes of a name.</summary>
    public const int Length = 16;

    /// <summary>Creates a name.</summary>
    /// <param name="id">Receives the name.</param>
    public void Fill(Span<byte> id)
    {
        Random.Fill(id);
        if (Slot is { } slot && id.Length > 0)
        {
            id[0] = slot;
        }
    }
}
