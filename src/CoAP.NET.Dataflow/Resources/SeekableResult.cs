namespace CoAP.NET.Resources;

/// <summary>An answer whose body lies in a stream or file. Of it only the block that is asked for is read.</summary>
internal sealed class SeekableResult : CoapResult
{
    public SeekableResult(Stream? stream, string? path, CoapETag? etag, CoapContentFormat? format)
        : base(CoapCode.Content, default, format)
    {
        Stream = stream;
        Path = path;
        ETag = etag;
    }

    /// <summary>The stream; null for a file.</summary>
    public Stream? Stream { get; }

    /// <summary>The file; null for a stream.</summary>
    public string? Path { get; }

    /// <summary>The entity-tag; null to make it of the file's length and time.</summary>
    public CoapETag? ETag { get; }

    /// <summary>Where in the body a stream begins that is read from front to back; null for one that seeks, and for a file.</summary>
    public long? Start { get; init; }

    /// <summary>The size of such a body as it was announced; null when nobody did.</summary>
    public long? Size { get; init; }

    private protected override CoapResult CopyWithoutOptions() =>
        new SeekableResult(Stream, Path, ETag, null) { Start = Start, Size = Size }.As(this);
}
