using CoAP.NET.Resources;

namespace CoAP.NET;

// Answers whose body is read where a block of it is asked for.
public static partial class CoapResults
{
    /// <summary>
    /// 2.05 Content with a stream that can seek. Of it only the block that is asked for is read. Later blocks are read from the same
    /// stream, without the handler: it stays open until the peer has fetched all, or makes no progress any more. For methods that are not
    /// safe the answer is read as a whole.
    /// </summary>
    /// <remarks>
    /// An open stream counts as 64 KiB of <see cref="CoapLimits.MaxRepresentationBytes"/>. Where there is no room for it the handler runs
    /// again for the next block, as it does for a peer that did not get the first one. An exception while it is read is answered 5.00, one
    /// while it is disposed changes no answer; both are logged and counted as <see cref="CoapCounter.HandlerErrors"/>.
    /// </remarks>
    /// <param name="stream">
    /// The stream, from its beginning; a new one for each call. The server disposes it, and does so as well where a filter answers with
    /// something else, throws, or does not wait for the handler.
    /// </param>
    /// <param name="etag">The entity-tag, which must change whenever the content does: it keeps clients from mixing two states.</param>
    /// <param name="format">The Content-Format; null to leave the option out.</param>
    /// <returns>The result, for one request.</returns>
    /// <exception cref="ArgumentException">The stream cannot read or seek, or the entity-tag is <c>default</c>.</exception>
    public static CoapResult Stream(Stream stream, CoapETag etag, CoapContentFormat? format = null)
    {
        ArgumentNullException.ThrowIfNull(stream);
        if (!stream.CanSeek || !stream.CanRead)
        {
            throw new ArgumentException(
                "Blocks are read at their place, so the stream must be able to read and seek. Copy it into a MemoryStream or a file.",
                nameof(stream));
        }

        return etag.Length != 0
            ? new SeekableResult(stream, null, etag, format)
            : throw new ArgumentException("This is no entity-tag: it has no bytes.", nameof(etag));
    }

    /// <summary>
    /// 2.05 Content with a stream that is read once, from front to back, such as one that comes over a network. Some KiB of it are kept, so
    /// memory does not depend on its size. Blocks are read as the peer asks for them, and a peer that asks slowly slows the stream down. It
    /// stays open until the peer has fetched all, or makes no progress any more. For methods that are not safe the answer is read as a
    /// whole.
    /// </summary>
    /// <remarks>
    /// The open stream counts as 64 KiB of <see cref="CoapLimits.MaxRepresentationBytes"/>. A peer that asks for a block that was passed,
    /// or that is far ahead, has the handler run again: its <see cref="CoapRequest.Options"/> say by Block2 which block is wanted. Throw a
    /// <see cref="CoapBodyException"/> from the stream to say what the peer is answered; any other exception is answered 5.00, logged and
    /// counted as <see cref="CoapCounter.HandlerErrors"/>.
    /// </remarks>
    /// <param name="stream">The stream. The server disposes it, also where a filter answers with something else.</param>
    /// <param name="etag">The entity-tag, which must change whenever the content does: it keeps clients from mixing two states.</param>
    /// <param name="format">The Content-Format; null to leave the option out.</param>
    /// <param name="start">Where in the body the stream begins, in bytes; not behind the block that is asked for. Default 0.</param>
    /// <param name="size">The size of the whole body, which the peer is told; null when it is not known.</param>
    /// <returns>The result, for one request.</returns>
    /// <exception cref="ArgumentException">The stream cannot be read, or the entity-tag is <c>default</c>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The start or the size is negative.</exception>
    public static CoapResult Sequential(
        Stream stream, CoapETag etag, CoapContentFormat? format = null, long start = 0, long? size = null)
    {
        ArgumentNullException.ThrowIfNull(stream);
        ArgumentOutOfRangeException.ThrowIfNegative(start);
        ArgumentOutOfRangeException.ThrowIfNegative(size ?? 0, nameof(size));
        if (!stream.CanRead)
        {
            throw new ArgumentException("The stream cannot be read.", nameof(stream));
        }

        return etag.Length != 0
            ? new SeekableResult(stream, null, etag, format) { Start = start, Size = size }
            : throw new ArgumentException("This is no entity-tag: it has no bytes.", nameof(etag));
    }

    /// <summary>
    /// 2.05 Content with a file, of which only the block that is asked for is read; 2.03 Valid when the client has it already, 4.04 when
    /// there is none. Later blocks are read without the handler, as long as length and time of the file stay the same; the file is opened
    /// for each.
    /// </summary>
    /// <param name="path">The path; never made of what a peer sent without a check.</param>
    /// <param name="etag">The entity-tag; default: the beginning of the SHA-256 of its content, the same for each copy of the file. The
    /// file is read as a whole for it once, and again when its length or the time of its last change is another; say one of your own for
    /// files of gibibytes.</param>
    /// <param name="format">The Content-Format; null to leave the option out.</param>
    /// <returns>The result; may be kept and returned for many requests.</returns>
    /// <exception cref="ArgumentException">The path is empty.</exception>
    public static CoapResult File(string path, CoapETag? etag = null, CoapContentFormat? format = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return new SeekableResult(null, path, etag is { Length: 0 } ? null : etag, format);
    }
}
