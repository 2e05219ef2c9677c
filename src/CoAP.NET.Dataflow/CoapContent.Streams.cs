using CoAP.NET.Blockwise;

namespace CoAP.NET;

// Representations that are read while they are sent, so that their size does not matter (RFC 7959).
public sealed partial class CoapContent
{
    private CoapContent(CoapContentFormat? format, Func<UploadBody> open, bool isRepeatable = true)
    {
        Format = format;
        Open = open;
        IsRepeatable = isRepeatable;
    }

    /// <summary>Whether it can be sent again from its beginning, however much of it was sent.</summary>
    internal bool IsRepeatable { get; } = true;

    /// <summary>Opens the body for one upload; null for contents in memory.</summary>
    internal Func<UploadBody>? Open { get; }

    /// <summary>
    /// What a stream has from where it stands, read block by block while it is sent. The stream stays open and must be left alone
    /// meanwhile; one request at a time may use it. A stream that can seek may be sent several times. One that cannot is sent once: when
    /// the server asks for the body again after its first block, the request fails.
    /// </summary>
    /// <param name="stream">The stream.</param>
    /// <param name="format">The Content-Format; default <c>application/octet-stream</c>.</param>
    /// <param name="length">The number of bytes, told to the server (Size1) and to whoever watches the progress; the end of the stream
    /// decides. Default: what is left of a stream that can seek.</param>
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

        // One for all: what it read already and did not send is still there for another address of the same host.
        UploadStream only = new(stream, 0, length, isOwner: false);
        return new CoapContent(
            format ?? CoapContentFormat.OctetStream,
            () => only.TryRestart()
                ? only
                : throw new InvalidOperationException(
                    "The stream was sent already and cannot be read again, as it cannot seek. Make a content of a new stream."),
            isRepeatable: false);
    }

    /// <summary>A file, opened when the request is sent and read block by block. May be sent several times, even at once.</summary>
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
