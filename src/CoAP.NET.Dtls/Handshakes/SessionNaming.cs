namespace CoAP.NET.Dtls.Handshakes;

/// <summary>How sessions that several servers may resume are named: at random, but by their slot first where they have one.</summary>
/// <param name="Random">Where names come from.</param>
/// <param name="Slot">The slot; null where there are none.</param>
internal readonly record struct SessionNaming(CoapRandomSource Random, byte? Slot)
{
    /// <summary>How many bytes a name has.</summary>
    public const int Length = 16;

    /// <summary>Makes a name.</summary>
    /// <param name="id">Where to.</param>
    public void Fill(Span<byte> id)
    {
        Random.Fill(id);
        if (Slot is { } slot && id.Length > 0)
        {
            id[0] = slot;
        }
    }
}
