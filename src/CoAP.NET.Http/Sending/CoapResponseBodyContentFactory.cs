using System.Numerics;

namespace CoAP.NET.Http.Sending;

/// <summary>The body of a CoAP response as content of an HTTP response.</summary>
internal static class CoapResponseBodyContentFactory
{
    private const int MinBlock = 16;
    private const int MaxBlock = 1024;

    /// <summary>
    /// Returns the content; null without a body. A body of one block has a known length; others are read while they arrive.
    /// </summary>
    /// <param name="stream">The stream; the content owns it, or it is closed.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    public static async Task<HttpContent?> OfAsync(CoapResponseBodyStream stream, CancellationToken cancellationToken)
    {
        byte[] buffer = new byte[MaxBlock];
        int length = await stream.ReadAsync(buffer, cancellationToken).ConfigureAwait(false);

        // Every block except the last one has the block size (RFC 7959 section 2.2).
        if (length > 0 && !(BitOperations.IsPow2(length) && length is >= MinBlock and <= MaxBlock))
        {
            int more = await stream.ReadAsync(buffer.AsMemory(length), cancellationToken).ConfigureAwait(false);
            if (more > 0)
            {
                return new StreamContent(new PrefixedStream(buffer.AsMemory(0, length + more), stream));
            }
        }
        else if (length > 0)
        {
            return new StreamContent(new PrefixedStream(buffer.AsMemory(0, length), stream));
        }

        await stream.DisposeAsync().ConfigureAwait(false);
        return length == 0 ? null : new ByteArrayContent(buffer, 0, length);
    }
}
