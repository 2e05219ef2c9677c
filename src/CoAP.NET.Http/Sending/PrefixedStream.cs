namespace CoAP.NET.Http.Sending;

/// <summary>A stream of which the beginning was read already.</summary>
/// <param name="prefix">What was read.</param>
/// <param name="rest">What is left; closed with this one.</param>
internal sealed class PrefixedStream(ReadOnlyMemory<byte> prefix, Stream rest) : Stream
{
    private ReadOnlyMemory<byte> _prefix = prefix;

    public override bool CanRead => rest.CanRead;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override int Read(byte[] buffer, int offset, int count) =>
        _prefix.IsEmpty ? Guard(() => rest.Read(buffer, offset, count)) : Take(buffer.AsSpan(offset, count));

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (!_prefix.IsEmpty)
        {
            return Take(buffer.Span);
        }

        try
        {
            return await rest.ReadAsync(buffer, cancellationToken).ConfigureAwait(false);
        }
        catch (CoapException exception)
        {
            throw Broken(exception);
        }
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override async ValueTask DisposeAsync()
    {
        await rest.DisposeAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            rest.Dispose();
        }

        base.Dispose(disposing);
    }

    // As the content of HTTP responses does when a connection breaks.
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
