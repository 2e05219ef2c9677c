namespace CoAP.NET.Resources;

/// <summary>
/// A cache of the most recent paths of change notices, which are nearly always the same ones: a table of fixed size in which a path
/// replaces another. Thread-safe.
/// </summary>
internal sealed class NoticedPaths
{
    private const int Places = 16;

    // Longer ones are rare, and must not stay in memory for the life of the server.
    private const int MaxLength = 256;

    private readonly NoticedPath?[] _places = new NoticedPath?[Places];

    /// <summary>Returns the parsed path.</summary>
    /// <exception cref="FormatException">The percent-encoding is invalid.</exception>
    public NoticedPath Get(string text)
    {
        ref NoticedPath? place = ref _places[(uint)text.GetHashCode(StringComparison.Ordinal) % Places];
        if (Volatile.Read(ref place) is { } known && string.Equals(known.Text, text, StringComparison.Ordinal))
        {
            return known;
        }

        NoticedPath noticed = new(text);
        if (text.Length <= MaxLength)
        {
            Volatile.Write(ref place, noticed);
        }

        return noticed;
    }
}
