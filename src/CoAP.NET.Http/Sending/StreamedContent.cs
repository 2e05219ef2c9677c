using System.Net;

namespace CoAP.NET.Http.Sending;

/// <summary>A body of unknown length that is sent once, while it arrives from a CoAP client.</summary>
/// <param name="body">The body; not closed with this.</param>
internal sealed class StreamedContent(Stream body) : HttpContent
{
    private const int ChunkSize = 16 * 1024;

    private int _isTaken;

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        SerializeToStreamAsync(stream, context, CancellationToken.None);

    protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken)
    {
        if (Interlocked.Exchange(ref _isTaken, 1) != 0)
        {
            throw new HttpRequestException("The body was already sent and cannot be sent again.");
        }

        byte[] buffer = new byte[ChunkSize];
        int read;
        while ((read = await body.ReadAsync(buffer, cancellationToken).ConfigureAwait(false)) > 0)
        {
            await stream.WriteAsync(buffer.AsMemory(0, read), cancellationToken).ConfigureAwait(false);

            // Flushes even small amounts, so that the server sees that a slow device is still sending.
            await stream.FlushAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    protected override bool TryComputeLength(out long length)
    {
        length = 0;
        return false;
    }
}
