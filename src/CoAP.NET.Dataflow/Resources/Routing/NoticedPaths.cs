namespace CoAP.NET.Resources;

/// <summary>
/// The last few paths that changes were told of, as it is nearly always the same ones: a table of fixed size in which a path takes the
/// place of another. Any thread may ask.
/// </summary>
internal sealed class NoticedPaths
{
    private const int Places = 16;

    // Longer ones are rare, and must not be kept for as long as the server lives.
    private const int MaxLength = 256;

    private readonly NoticedPath?[] _places = new NoticedPath?[Places];

    /// <summary>The path taken apart.</summary>
    /// <exception cref="FormatException">The percent-encoding is wrong.</exception>
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
