using CoAP.NET.Proxy;

namespace CoAP.NET.Http.Sending;

/// <summary>A stream whose beginning was already read.</summary>
/// <param name="prefix">The bytes that were read.</param>
/// <param name="rest">The rest; closed with this stream.</param>
internal sealed class PrefixedStream(ReadOnlyMemory<byte> prefix, Stream rest) : ForwardOnlyStream(rest)
{
    private ReadOnlyMemory<byte> _prefix = prefix;

    public override int Read(byte[] buffer, int offset, int count) =>
        _prefix.IsEmpty ? Guard(() => Source.Read(buffer, offset, count)) : Take(buffer.AsSpan(offset, count));

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (!_prefix.IsEmpty)
        {
            return Take(buffer.Span);
        }

        try
        {
            return await Source.ReadAsync(buffer, cancellationToken).ConfigureAwait(false);
        }
        catch (CoapException exception)
        {
            throw Broken(exception);
        }
    }

    // Like the content of HTTP responses when a connection breaks.
    private static HttpIOException Broken(CoapException exception) =>
        new(CoapHttpErrors.ErrorOf(exception) is HttpRequestError.InvalidResponse ? HttpRequestError.InvalidResponse
            : HttpRequestError.ResponseEnded,
            exception.Message,
            exception);

    private static int Guard(Func<int> read)
    {
        try
        {
            return read();
        }
        catch (CoapException exception)
        {
            throw Broken(exception);
        }
    }

    private int Take(Span<byte> buffer)
    {
        int taken = Math.Min(buffer.Length, _prefix.Length);
        _prefix.Span[..taken].CopyTo(buffer);
        _prefix = _prefix[taken..];
        return taken;
    }
}
