using CoAP.NET.Proxy;
using Microsoft.AspNetCore.Http;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>
/// The body of a request with a deadline that grows with the received bytes: occasional bytes do not keep it open. Time without a reader
/// does not count.
/// </summary>
/// <param name="source">The original body.</param>
/// <param name="timeout">The time that the client may take, in addition to one second per 256 bytes.</param>
/// <param name="clock">The clock.</param>
/// <param name="counters">Counts slow clients.</param>
internal sealed class DeadlineBody(Stream source, TimeSpan timeout, TimeProvider clock, CoapHttpCounters counters)
    : ForwardOnlyStream(source)
{
    private const double BytesPerSecond = 256;

    private long _read;
    private TimeSpan _waited;

    /// <inheritdoc/>
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        TimeSpan left = timeout + TimeSpan.FromSeconds(_read / BytesPerSecond) - _waited;
        if (left <= TimeSpan.Zero)
        {
            throw TooSlow();
        }

        long began = clock.GetTimestamp();
        using CancellationTokenSource late = new(left, clock);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(late.Token, cancellationToken);
        try
        {
            int read = await Source.ReadAsync(buffer, either.Token).ConfigureAwait(false);
            _waited += clock.GetElapsedTime(began);
            _read += read;
            return read;
        }
        catch (OperationCanceledException) when (late.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            throw TooSlow();
        }
        catch (IOException exception) when (HttpBodyErrors.Of(exception) is { } broken)
        {
            throw broken;
        }
    }

    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count) =>
        throw new NotSupportedException("The body comes over a network and can only be read asynchronously. Use ReadAsync.");

    private BadHttpRequestException TooSlow()
    {
        counters.CountStalled();
        return new BadHttpRequestException("The body of the request came too slowly.", StatusCodes.Status408RequestTimeout);
    }
}
