namespace CoAP.NET.Simulation.Fuzz;

/// <summary>Text or CBOR: mutated byte by byte with the words of its language, and nested deeper now and then.</summary>
internal abstract class ContentTarget : FuzzTarget
{
    private readonly ByteMutator _bytes;

    protected ContentTarget() => _bytes = new ByteMutator(Dictionary);

    /// <summary>What begins a level of nesting; null for languages without.</summary>
    protected virtual byte[]? Nesting => null;

    public override void Mutate(FuzzBuffer buffer, FuzzRandom random, byte[] other)
    {
        if (Nesting is { } nesting && random.OneOf(24))
        {
            for (int depth = 1 + random.Below(random.OneOf(8) ? 200 : 12); depth > 0; depth--)
            {
                buffer.Insert(random.OneOf(4) ? random.Below(buffer.Length + 1) : 0, nesting);
            }

            return;
        }

        _bytes.Mutate(buffer, 0, buffer.Length, random, other);
    }
}
