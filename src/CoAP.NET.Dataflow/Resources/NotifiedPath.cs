using CoAP.NET.Uris;

namespace CoAP.NET.Resources;

/// <summary>A path in a change notice. Immutable, except for one mark.</summary>
internal sealed class NotifiedPath
{
    /// <summary>Parses a path.</summary>
    /// <exception cref="ArgumentException">The percent-encoding is invalid.</exception>
    public NotifiedPath(string path)
    {
        Text = path;
        foreach (string segment in UriEncoding.SplitPath(path))
        {
            Options.AddString(OptionNumber.UriPath, UriEncoding.Decode(segment, nameof(path)));
        }

        Path = RouteTable.PathOf(Options);
    }

    /// <summary>The path as given.</summary>
    public string Text { get; }

    public CoapOptionCollection Options { get; } = new();

    /// <summary>The path in the normal form of change notices.</summary>
    public string Path { get; }

    /// <summary>Whether it was checked that a route with this path can be observed.</summary>
    public bool IsChecked { get => Volatile.Read(ref field); set => Volatile.Write(ref field, value); }
}
