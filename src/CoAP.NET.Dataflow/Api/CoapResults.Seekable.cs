using CoAP.NET.Resources;

namespace CoAP.NET;

// Responses whose body is read at the requested block.
public static partial class CoapResults
{
    /// <summary>2.05 Content with a seekable stream, of which the server reads only the requested block.</summary>
    /// <remarks>
    /// It reads later blocks from the same stream, without the handler: the stream stays open until the peer has fetched everything, or
    /// stops making progress. For unsafe methods it reads the whole body at once. An open stream counts as 64 KiB of
    /// <see cref="CoapLimits.MaxRepresentationBytes"/>. If there is no room for it, the handler runs again for the next block, and so it
    /// does for a peer that missed the first one. The server answers an exception during reading with 5.00; an exception during dispose
    /// changes no response. It logs both and counts them as <see cref="CoapCounter.HandlerErrors"/>. Once the file of a
    /// <see cref="FileStream"/> has changed its length or last write time, the handler runs again.
    /// </remarks>
    /// <param name="stream">
    /// The stream, positioned at its beginning; a new one for each call. The server disposes it, even if a filter returns another response,
    /// throws, or does not wait for the handler.
    /// </param>
    /// <param name="etag">The entity-tag, which must change with each change of the content, so that clients do not mix two states.</param>
    /// <param name="format">The Content-Format; null to omit the option.</param>
    /// <returns>The result, for one request.</returns>
    /// <exception cref="ArgumentException">The stream cannot read or seek, or the entity-tag is <c>default</c>.</exception>
    public static CoapResult Stream(Stream stream, CoapETag etag, CoapContentFormat? format = null)
    {
        ArgumentNullException.ThrowIfNull(stream);
        if (!stream.CanSeek || !stream.CanRead)
        {
            throw new ArgumentException(
                "The stream must be able to read and seek, because the server reads blocks at their position. Copy it into a "
                    + "MemoryStream or a file.",
                nameof(stream));
        }

        return etag.Length != 0
            ? new SeekableResult(stream, null, etag, format)
            : throw new ArgumentException("The entity-tag is empty. Create one with 1 to 8 bytes.", nameof(etag));
    }

    /// <summary>2.05 Content with a stream that is read once, from start to end, for example from a network.</summary>
    /// <remarks>
    /// The server keeps some KiB of it, so the memory does not depend on its size. It reads blocks as the peer requests them, so a slow
    /// peer slows the stream down. The stream stays open until the peer has fetched everything, or stops making progress. For unsafe
    /// methods the server reads the whole body at once. The open stream counts as 64 KiB of
    /// <see cref="CoapLimits.MaxRepresentationBytes"/>. If a peer requests a block that was passed, or that is far ahead, the handler runs
    /// again: Block2 in <see cref="CoapRequest.Options"/> names the requested block. Throw a <see cref="CoapBodyException"/> from the
    /// stream to choose the response for the peer; any other exception is answered 5.00, logged and counted as
    /// <see cref="CoapCounter.HandlerErrors"/>.
    /// </remarks>
    /// <param name="stream">The stream. The server disposes it, even if a filter returns another response.</param>
    /// <param name="etag">The entity-tag, which must change with each change of the content, so that clients do not mix two states.</param>
    /// <param name="format">The Content-Format; null to omit the option.</param>
    /// <param name="start">The position of the stream in the body, in bytes; not after the requested block. Default 0.</param>
    /// <param name="size">The size of the whole body, for the peer; null if it is unknown.</param>
    /// <returns>The result, for one request.</returns>
    /// <exception cref="ArgumentException">The stream is not readable, or the entity-tag is <c>default</c>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The start or the size is negative.</exception>
    public static CoapResult Sequential(
        Stream stream, CoapETag etag, CoapContentFormat? format = null, long start = 0, long? size = null)
    {
        ArgumentNullException.ThrowIfNull(stream);
        ArgumentOutOfRangeException.ThrowIfNegative(start);
        ArgumentOutOfRangeException.ThrowIfNegative(size ?? 0, nameof(size));
        if (!stream.CanRead)
        {
            throw new ArgumentException("The stream is not readable.", nameof(stream));
        }

        return etag.Length != 0
            ? new SeekableResult(stream, null, etag, format) { Start = start, Size = size }
            : throw new ArgumentException("The entity-tag is empty. Create one with 1 to 8 bytes.", nameof(etag));
    }

    /// <summary>
    /// 2.05 Content with a file, of which the server reads only the requested block; 2.03 Valid if the client already has it, 4.04 if it
    /// does not exist.
    /// </summary>
    /// <remarks>
    /// The server reads later blocks without the handler, while length and time of the file stay the same, and opens the file for each.
    /// </remarks>
    /// <param name="path">The path; validate it if it contains data of a peer.</param>
    /// <param name="etag">The entity-tag; default: the beginning of the SHA-256 of the content, which is the same for each copy of the
    /// file. For the default, the server reads the whole file once, and again when its length or last write time changes; set an entity-tag
    /// for files of gibibytes.</param>
    /// <param name="format">The Content-Format; null to omit the option.</param>
    /// <returns>The result; a handler may keep it and return it for many requests.</returns>
    /// <exception cref="ArgumentException">The path is empty.</exception>
    public static CoapResult File(string path, CoapETag? etag = null, CoapContentFormat? format = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return new SeekableResult(null, path, etag is { Length: 0 } ? null : etag, format);
    }
}
