using CoAP.NET.Blockwise;

namespace CoAP.NET;

// Representations that are read while they are sent, so their size does not matter (RFC 7959).
public sealed partial class CoapContent
{
    private CoapContent(CoapContentFormat? format, Func<UploadBody> open, bool isRepeatable = true)
    {
        Format = format;
        Open = open;
        IsRepeatable = isRepeatable;
    }

    /// <summary>Whether it can be sent again from its beginning, at any point of the transfer.</summary>
    internal bool IsRepeatable { get; } = true;

    /// <summary>Opens the body for one upload; null for contents in memory.</summary>
    internal Func<UploadBody>? Open { get; }

    /// <summary>Creates a content that reads a stream from its current position, block by block while it is sent.</summary>
    /// <remarks>
    /// The stream stays open. Do not use it meanwhile; one request at a time may send it. A seekable stream may be sent several times. A
    /// stream that cannot seek is sent once: if the server asks for the body again after its first block, the request fails.
    /// </remarks>
    /// <param name="stream">The stream.</param>
    /// <param name="format">The Content-Format; default <c>application/octet-stream</c>.</param>
    /// <param name="length">The number of bytes, for the server (Size1) and for progress reports; the end of the stream decides. Default:
    /// the rest of a seekable stream.</param>
    /// <returns>The content.</returns>
    /// <exception cref="ArgumentException">The stream cannot be read.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The length is negative.</exception>
    public static CoapContent Stream(Stream stream, CoapContentFormat? format = null, long? length = null)
    {
        ArgumentNullException.ThrowIfNull(stream);
        ArgumentOutOfRangeException.ThrowIfNegative(length ?? 0, nameof(length));
        if (!stream.CanRead)
        {
            throw new ArgumentException("The stream cannot be read.", nameof(stream));
        }

        if (stream.CanSeek)
        {
            long start = stream.Position;
            return new CoapContent(format ?? CoapContentFormat.OctetStream, () =>
            {
                stream.Position = start;
                return new UploadStream(stream, start, length ?? (stream.Length - start), isOwner: false);
            });
        }

        // One instance for all uploads: bytes that it read and did not send remain available for another address of the same host.
        UploadStream only = new(stream, 0, length, isOwner: false);
        return new CoapContent(
            format ?? CoapContentFormat.OctetStream,
            () => only.TryRestart()
                ? only
                : throw new InvalidOperationException(
                    "The stream was already sent, and it cannot seek to be read again. Create a content from a new stream."),
            isRepeatable: false);
    }

    /// <summary>Creates a content from a file, which is opened when the request is sent and read block by block.</summary>
    /// <remarks>It may be sent several times, even concurrently.</remarks>
    /// <param name="path">The path of the file.</param>
    /// <param name="format">The Content-Format; default <c>application/octet-stream</c>.</param>
    /// <returns>The content.</returns>
    public static CoapContent File(string path, CoapContentFormat? format = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return new CoapContent(format ?? CoapContentFormat.OctetStream, () =>
        {
            FileStream file = new(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 1,
                FileOptions.Asynchronous | FileOptions.SequentialScan);
            return new UploadStream(file, 0, file.Length, isOwner: true);
        });
    }
}
