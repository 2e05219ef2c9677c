using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Uris;

/// <summary>A cache of the parsed URIs of recent requests. It has a fixed size. Thread-safe.</summary>
internal sealed class ParsedUriCache
{
    private readonly RecentTextCache<CoapUri> _known = new();

    /// <summary>Returns the URI of a text.</summary>
    /// <param name="text">The text.</param>
    /// <param name="read">Parses it, or throws.</param>
    public CoapUri Find(string text, Func<string, CoapUri> read)
    {
        if (_known.TryFind(text, out CoapUri? known))
        {
            return known;
        }

        CoapUri uri = read(text);
        if (uri.ZoneId is null)
        {
            // The interface of a zone may change.
            _known.Note(text, uri);
        }

        return uri;
    }

    /// <summary>Finds a cached URI by its bytes, as in an option.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="uri">The URI.</param>
    /// <returns>Whether it is known.</returns>
    public bool TryFind(ReadOnlySpan<byte> bytes, [NotNullWhen(true)] out CoapUri? uri) => _known.TryFind(bytes, out uri);
}
