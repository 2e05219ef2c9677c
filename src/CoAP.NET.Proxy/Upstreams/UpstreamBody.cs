using CoAP.NET.Shared;

namespace CoAP.NET.Proxy.Upstreams;

/// <summary>
/// The body of an answer on its way through the proxy: counts its bytes, and says what the client is answered when it breaks off.
/// </summary>
/// <param name="source">The body as it comes from the server; disposed with this.</param>
/// <param name="max">The most bytes that pass.</param>
/// <param name="counts">Counts.</param>
internal sealed class UpstreamBody(Stream source, long max, ProxyCounts counts) : ForwardStream(source)
{
    private long _passed;

    /// <inheritdoc/>
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        int read;
        try
        {
            read = await Source.ReadAsync(buffer, cancellationToken).ConfigureAwait(false);
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
    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException("It comes over a network.");
}
