using CoAP.NET.Options;

namespace CoAP.NET.Resources;

/// <summary>A path that a change was told of. Not changed once it is made, but for one mark.</summary>
internal sealed class NoticedPath
{
    /// <summary>Takes a path apart.</summary>
    /// <exception cref="FormatException">The percent-encoding is wrong.</exception>
    public NoticedPath(string text)
    {
        Text = text;
        foreach (string segment in PathText.Split(text))
        {
            Options.AddString(OptionNumber.UriPath, PathText.Decode(segment));
        }

        Path = RouteTable.PathOf(Options);
    }

    /// <summary>The path as it was told.</summary>
    public string Text { get; }

    /// <summary>Its Uri-Path options.</summary>
    public CoapOptionCollection Options { get; } = new();

    /// <summary>The path in the one form that notices of changes use.</summary>
    public string Path { get; }

    /// <summary>Whether it was looked at once that somebody can observe it.</summary>
    public bool IsChecked { get => Volatile.Read(ref field); set => Volatile.Write(ref field, value); }
}
