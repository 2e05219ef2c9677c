namespace CoAP.NET.Resources;

/// <summary>
/// A cache of the most recent paths of change notices, which are nearly always the same ones: a table of fixed size in which a path
/// replaces another. Thread-safe.
/// </summary>
internal sealed class NotifiedPathCache
{
    private const int Capacity = 16;

    // Longer ones are rare, and must not stay in memory for the life of the server.
    private const int MaxLength = 256;

    private readonly NotifiedPath?[] _places = new NotifiedPath?[Capacity];

    /// <summary>Returns the parsed path.</summary>
    /// <exception cref="ArgumentException">The percent-encoding is invalid.</exception>
    public NotifiedPath Get(string text)
    {
        ref NotifiedPath? place = ref _places[(uint)text.GetHashCode(StringComparison.Ordinal) % Capacity];
        if (Volatile.Read(ref place) is { } known && string.Equals(known.Text, text, StringComparison.Ordinal))
        {
            return known;
        }

        NotifiedPath noticed = new(text);
        if (text.Length <= MaxLength)
        {
            Volatile.Write(ref place, noticed);
        }

        return noticed;
    }
}
