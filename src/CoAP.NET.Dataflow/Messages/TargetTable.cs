using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Messages;

/// <summary>The URIs that requests were sent to lately, read. Of fixed size. For all threads.</summary>
internal sealed class TargetTable
{
    private readonly RecentTexts<CoapUri> _known = new();

    /// <summary>Gives the URI of a text.</summary>
    /// <param name="text">The text.</param>
    /// <param name="read">Reads it, or throws.</param>
    public CoapUri Find(string text, Func<string, CoapUri> read)
    {
        if (_known.TryFind(text, out CoapUri? known))
        {
            return known;
        }

        CoapUri uri = read(text);
        if (uri.ZoneId is null)
        {
            // Which interface a zone stands for may change.
            _known.Note(text, uri);
        }

        return uri;
    }

    /// <summary>Finds a URI that was read before by its bytes, as they stand in an option.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="uri">The URI.</param>
    /// <returns>Whether it is known.</returns>
    public bool TryFind(ReadOnlySpan<byte> bytes, [NotNullWhen(true)] out CoapUri? uri) => _known.TryFind(bytes, out uri);
}
