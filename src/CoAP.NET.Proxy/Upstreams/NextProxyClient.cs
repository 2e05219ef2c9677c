using System.Text;
using CoAP.NET.Proxy.Admission;
using CoAP.NET.Requests;

namespace CoAP.NET.Proxy.Upstreams;

/// <summary>Forwards all requests of any scheme to another proxy (RFC 7252 section 5.7.2).</summary>
internal sealed class NextProxyClient(ICoapClient requester, CoapUri proxy) : UpstreamClient
{
    // RFC 7252 section 5.10.2.
    private const int MaxProxyUri = 1034;

    /// <inheritdoc/>
    public override IReadOnlyCollection<string> Schemes => [];

    /// <inheritdoc/>
    public override bool StreamsBodyOf(CoapMethod method, CoapOptionCollection options) => true;

    /// <inheritdoc/>
    public override async Task<CoapResult> SendAsync(CoapForwardedRequest request, CancellationToken cancellationToken)
    {
        UpstreamResponse answer = await OpenAsync(request, int.MaxValue, cancellationToken).ConfigureAwait(false);
        CoapResult result = new(answer.Code, answer.Payload);
        result.OwnOptions.AddAll(answer.Options);
        return result;
    }

    /// <inheritdoc/>
    internal override async ValueTask<UpstreamResponse> OpenAsync(
        CoapForwardedRequest request, int maxHeld, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        if (Encoding.UTF8.GetByteCount(request.Target) > MaxProxyUri)
        {
            throw new CoapTargetDeniedException($"The URI is longer than {MaxProxyUri} bytes, the maximum for the next proxy.");
        }

        CoapOpenedResponse opened = await SendAsync(request, null, maxHeld, cancellationToken).ConfigureAwait(false);
        CoapResponse response = opened.Response;

        // If the beginning of a body is no longer buffered, the client gets the challenge and starts over.
        if (response.Code == CoapCode.Unauthorized && response.Options.Echo is { } challenge && MayAnswer(request)
            && request.Passing?.TryRewind() != false)
        {
            opened = await SendAsync(request, challenge, maxHeld, cancellationToken).ConfigureAwait(false);
        }

        return CoapUpstreamClient.AnswerOf(opened, request);
    }

    // The other proxy checks whether this one receives at its address, as this one checks its clients. The origin may also check whether
    // the request is fresh; this proxy knows that only if the client just proved it (RFC 9175 section 2.3).
    private static bool MayAnswer(CoapForwardedRequest request) => request.Code.IsSafe || request.Received.EchoAge is not null;

    private async Task<CoapOpenedResponse> SendAsync(
        CoapForwardedRequest request, ReadOnlyMemory<byte>? echo, int maxHeld, CancellationToken cancellationToken)
    {
        CoapRequest onward = Make(request);
        if (echo is { } value)
        {
            onward.Options.Remove(OptionNumber.Echo);
            onward.Options.Add(OptionNumber.Echo, value.Span);
        }

        return await requester.OpenResponseAsync(onward, maxHeld, cancellationToken).ConfigureAwait(false);
    }

    internal override Task<CoapObservation>? ObserveAsync(
        CoapForwardedRequest request, CoapObservationOptions observe, CancellationToken cancellationToken) =>
        requester.ObserveAsync(Make(request), observe, cancellationToken);

    private CoapRequest Make(CoapForwardedRequest request)
    {
        CoapForwardedRequest toProxy = new(request.Received, request.Source, proxy.ToString(), request.Options, request.Timeout,
            request.Targets, request.MayBeShared, request.Start, request.Passing);
        CoapRequest onward = CoapUpstreamClient.Make(toProxy);
        onward.Options.Add(OptionNumber.ProxyUri, Encoding.UTF8.GetBytes(request.Target));
        return onward;
    }
}
