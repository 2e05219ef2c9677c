namespace CoAP.NET;

// What the serializers need beside the public members: a table of the right size at once, and lengths without touching the values.
public sealed partial class CoapOptionCollection
{
    /// <summary>Gives the collection the bytes that <see cref="AppendReceived"/> points into, and room for exactly as many options as will come.</summary>
    internal void UseBlock(ReadOnlyMemory<byte> block, int count)
    {
        UseBlock(block);
        if (count > FirstEntries.Length)
        {
            _table = new Entry[count];
        }
    }

    /// <summary>The length of the value at a place, in bytes.</summary>
    internal int LengthAt(int index) => EntryAt(index).Length;
}
