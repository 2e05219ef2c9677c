namespace CoAP.NET.Messages;

/// <summary>
/// The URIs that requests were sent to lately, read: most programs ask for the same few again and again. Of fixed size; two that fall into
/// the same place replace one another. For all threads.
/// </summary>
internal sealed class TargetTable
{
    private const int Places = 512;

    // Longer ones are rare, and would be kept alive for nothing.
    private const int MaxLength = 256;

    private Entry?[]? _entries;

    /// <summary>Gives the URI of a text.</summary>
    /// <param name="text">The text.</param>
    /// <param name="read">Reads it, or throws.</param>
    public CoapUri Find(string text, Func<string, CoapUri> read)
    {
        if (text.Length > MaxLength)
        {
            return read(text);
        }

        Entry?[] entries = _entries ??= new Entry?[Places];
        ref Entry? place = ref entries[(uint)text.GetHashCode(StringComparison.Ordinal) % Places];
        if (Volatile.Read(ref place) is { } known && known.Text == text)
        {
            return known.Uri;
        }

        CoapUri uri = read(text);
        if (uri.ZoneId is null)
        {
            // Which interface a zone stands for may change.
            Volatile.Write(ref place, new Entry(text, uri));
        }

        return uri;
    }

    private sealed record Entry(string Text, CoapUri Uri);
}
