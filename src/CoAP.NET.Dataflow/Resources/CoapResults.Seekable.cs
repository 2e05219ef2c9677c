namespace CoAP.NET;

// Answers whose body is read where a block of it is asked for.
public static partial class CoapResults
{
    /// <summary>2.05 Content with a stream that can seek. Of it only the block that is asked for is read; for the next block the handler runs again (RFC 7959 section 2.4), but for methods that are not safe the answer is read as a whole.</summary>
    /// <param name="stream">The stream, from its beginning; a new one for each call. It is disposed when it was read.</param>
    /// <param name="etag">The entity-tag, which must change whenever the content does: it keeps clients from mixing two states.</param>
    /// <param name="format">The Content-Format; null to leave the option out.</param>
    /// <returns>The result, for one request.</returns>
    /// <exception cref="ArgumentException">The stream cannot read or seek, or the entity-tag is <c>default</c>.</exception>
    public static CoapResult Stream(Stream stream, CoapETag etag, CoapContentFormat? format = null)
    {
        ArgumentNullException.ThrowIfNull(stream);
        if (!stream.CanSeek || !stream.CanRead)
        {
            throw new ArgumentException("Blocks are read at their place, so the stream must be able to read and seek. Copy it into a MemoryStream or a file.", nameof(stream));
        }

        return etag.Length != 0
            ? new SeekableResult(stream, null, etag, format)
            : throw new ArgumentException("This is no entity-tag: it has no bytes.", nameof(etag));
    }

    /// <summary>2.05 Content with a file, of which only the block that is asked for is read; 2.03 Valid when the client has it already, 4.04 when there is none. See <see cref="Stream"/>.</summary>
    /// <param name="path">The path; never made of what a peer sent without a check.</param>
    /// <param name="etag">The entity-tag; default: made of length and time of the last change.</param>
    /// <param name="format">The Content-Format; null to leave the option out.</param>
    /// <returns>The result; may be kept and returned for many requests.</returns>
    /// <exception cref="ArgumentException">The path is empty.</exception>
    public static CoapResult File(string path, CoapETag? etag = null, CoapContentFormat? format = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return new SeekableResult(null, path, etag is { Length: 0 } ? null : etag, format);
    }
}
