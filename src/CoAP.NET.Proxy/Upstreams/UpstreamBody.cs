namespace CoAP.NET.Proxy.Upstreams;

/// <summary>
/// The body of an answer on its way through the proxy: counts its bytes, and says what the client is answered when it breaks off.
/// </summary>
/// <param name="source">The body as it comes from the server; disposed with this.</param>
/// <param name="max">The most bytes that pass.</param>
/// <param name="counts">Counts.</param>
internal sealed class UpstreamBody(Stream source, long max, ProxyCounts counts) : Stream
{
    private long _passed;

    /// <inheritdoc/>
    public override bool CanRead => true;

    /// <inheritdoc/>
    public override bool CanSeek => false;

    /// <inheritdoc/>
    public override bool CanWrite => false;

    /// <inheritdoc/>
    public override long Length => throw new NotSupportedException();

    /// <inheritdoc/>
    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <inheritdoc/>
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        int read;
        try
        {
            read = await source.ReadAsync(buffer, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is not OperationCanceledException && UpstreamFailures.Knows(exception))
        {
            CoapResult answer = exception is CoapResponseException broken
                ? CoapResults.Status(CoapCode.BadGateway, $"The server answered {broken.Response.Code} in the middle. Begin anew.")
                : UpstreamFailures.Answer(exception);
            counts.Add(answer.Code == CoapCode.GatewayTimeout ? ProxyCount.Timeouts : ProxyCount.Failures);
            throw new CoapBodyException(answer, "The answer of the server broke off.", exception);
        }

        _passed += read;
        if (_passed > max)
        {
            counts.Add(ProxyCount.Failures);
            throw new CoapBodyException(
                CoapResults.Status(CoapCode.BadGateway, $"The answer has more than {max} bytes, the most that this proxy passes on."),
                "The answer of the server is larger than what passes.");
        }

        return read;
    }

    /// <inheritdoc/>
    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException("It comes over a network.");

    /// <inheritdoc/>
    public override void Flush()
    {
    }

    /// <inheritdoc/>
    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void SetLength(long value) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        await source.DisposeAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            source.Dispose();
        }

        base.Dispose(disposing);
    }
}
