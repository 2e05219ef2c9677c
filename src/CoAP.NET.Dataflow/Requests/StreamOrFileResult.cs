namespace CoAP.NET.Requests;

/// <summary>A response with its body in a stream or file, of which only the requested block is read.</summary>
internal sealed class StreamOrFileResult : CoapResult
{
    public StreamOrFileResult(Stream? stream, string? path, CoapETag? etag, CoapContentFormat? format)
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

    /// <summary>The entity-tag; null to create it from the file's length and time.</summary>
    public CoapETag? ETag { get; }

    /// <summary>The position in the body of a stream that is read from start to end; null for a seekable one, and for a file.</summary>
    public long? Start { get; init; }

    /// <summary>The announced size of such a body; null if it is unknown.</summary>
    public long? Size { get; init; }
}
