using CoAP.NET.Diagnostics;

namespace CoAP.NET.Proxy.Upstreams;

/// <summary>
/// The body of a response on its way through the proxy: counts its bytes, and determines the client's response when it breaks off.
/// </summary>
/// <param name="source">The body from the server; disposed with this.</param>
/// <param name="max">The maximum number of bytes that pass.</param>
/// <param name="counts">The counters.</param>
internal sealed class UpstreamResponseBody(Stream source, long max, EventCounter<ProxyCounterKind> counts) : ForwardOnlyStream(source)
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
        catch (Exception exception) when (exception is not OperationCanceledException && CoapErrorResponse.Covers(exception))
        {
            CoapResult answer = exception is CoapResponseException broken
                ? CoapResults.Status(CoapCode.BadGateway, $"The server answered {broken.Response.Code} in the middle of the body. Start "
                    + "over.")
                : CoapErrorResponse.Of(exception);
            counts.Add(answer.Code == CoapCode.GatewayTimeout ? ProxyCounterKind.Timeouts : ProxyCounterKind.Failures);
            throw new CoapContentException(answer, "The response of the server broke off.", exception);
        }

        _passed += read;
        if (_passed > max)
        {
            counts.Add(ProxyCounterKind.Failures);
            throw new CoapContentException(
                CoapResults.Status(CoapCode.BadGateway, $"The response has more than {max} bytes, the maximum that this proxy forwards."),
                "The response of the server is larger than the maximum that this proxy forwards.");
        }

        return read;
    }

    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count) =>
        throw new NotSupportedException("The body comes over a network and can only be read asynchronously. Use ReadAsync.");
}
