using CoAP.NET.Shared;
using Microsoft.AspNetCore.Http;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>
/// The body of a request, whose client has a time to send it that grows with what came: a byte now and then does not keep it open. Time
/// in which nobody reads does not count.
/// </summary>
/// <param name="source">The body as it comes.</param>
/// <param name="patience">How long the client may take, beside a second for each 256 bytes.</param>
/// <param name="clock">The clock.</param>
/// <param name="counters">Counts who is too slow.</param>
internal sealed class PacedBody(Stream source, TimeSpan patience, TimeProvider clock, CoapHttpCounters counters) : ForwardStream(source)
{
    private const double BytesPerSecond = 256;

    private long _read;
    private TimeSpan _waited;

    /// <inheritdoc/>
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        TimeSpan left = patience + TimeSpan.FromSeconds(_read / BytesPerSecond) - _waited;
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
    }

    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException("It comes over a network.");

    private BadHttpRequestException TooSlow()
    {
        counters.CountStalled();
        return new BadHttpRequestException("The body of the request came too slowly.", StatusCodes.Status408RequestTimeout);
    }
}
