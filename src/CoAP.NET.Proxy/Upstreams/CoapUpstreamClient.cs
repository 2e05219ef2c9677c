using CoAP.NET.Requests;

namespace CoAP.NET.Proxy.Upstreams;

/// <summary>Forwards requests to CoAP servers over every transport of a client.</summary>
/// <param name="requester">The client, or the peer that receives all requests.</param>
/// <param name="factories">Make the transports of the client for other schemes than those of CoAP.</param>
internal sealed class CoapUpstreamClient(ICoapClient requester, params ICoapTransportFactory[] factories) : UpstreamClient
{
    // A new upstream of a peer is made for each request, and equals the previous one.
    private readonly ICoapClient _requester = requester;

    /// <summary>The schemes of CoAP (RFC 7252 section 6, RFC 8323 section 8).</summary>
    public static readonly string[] AllSchemes = ["coap", "coaps", "coap+tcp", "coaps+tcp", "coap+ws", "coaps+ws"];

    /// <inheritdoc/>
    public override IReadOnlyCollection<string> Schemes { get; } = [.. AllSchemes.Union(factories.Select(static own => own.Scheme))];

    /// <inheritdoc/>
    public override bool IsSecure(string scheme)
    {
        // No LINQ: this runs for each request.
        foreach (ICoapTransportFactory own in factories)
        {
            if (own.Scheme == scheme)
            {
                return own.IsSecure;
            }
        }

        return base.IsSecure(scheme);
    }

    /// <summary>Returns an upstream for the same schemes with another client.</summary>
    public CoapUpstreamClient By(ICoapClient other) => new(other, factories);

    /// <inheritdoc/>
    public override bool StreamsBodyOf(CoapMethod method, CoapOptionCollection options) => true;

    public static CoapRequest Make(CoapForwardedRequest request)
    {
        // Type, token and Message ID belong to one hop (RFC 7252 section 5.7.1): the new request is always Confirmable.
        CoapRequest onward = new((CoapMethod)request.Code.Value, request.Target)
        {
            IsForwarded = true,
            OnBehalfOf = request.Source,
            CacheMode = request.MayBeShared ? CoapCacheMode.Default : CoapCacheMode.Bypass,
            Timeout = request.Timeout,
        };
        if (request.Body is { } body)
        {
            // Its format is among the options, if it has one. The body enforces its own timeout.
            onward.Content = CoapContent.Stream(body, null, request.BodyLength);
            onward.Options.Remove(OptionNumber.ContentFormat);
            onward.Timeout = System.Threading.Timeout.InfiniteTimeSpan;
        }
        else
        {
            onward.Message.Payload = request.Payload;
        }

        onward.Options.AddAll(request.Options);
        if (request.MayBeShared)
        {
            // The cache adds its own tags; a response that the client already has becomes 2.03 on its way back.
            onward.Options.Remove(OptionNumber.ETag);
        }

        if (request.Start is { Offset: > 0 and var offset })
        {
            onward.Download = new CoapDownloadOptions { Offset = offset };
        }

        return onward;
    }

    /// <summary>Wraps a response whose body may be a stream.</summary>
    public static UpstreamResponse AnswerOf(CoapOpenedResponse opened, CoapForwardedRequest request)
    {
        CoapMessage message = opened.Response.Message;
        Stream? body = opened.Body;
        if (body is null && request.Start is { Offset: > 0 } && message.Code == CoapCode.Content)
        {
            // A small part is a stream, too, because it is not the whole body.
            body = new MemoryStream(message.Payload.ToArray(), writable: false);
        }

        return new UpstreamResponse(message.Code, message.Payload, message.Options, body);
    }

    /// <inheritdoc/>
    public override async Task<CoapResult> SendAsync(CoapForwardedRequest request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        CoapResponse response = await _requester.SendAsync(Make(request), cancellationToken).ConfigureAwait(false);
        return CoapResults.Response(response.Message);
    }

    internal override async ValueTask<UpstreamResponse> OpenAsync(
        CoapForwardedRequest request, int maxHeld, CancellationToken cancellationToken) =>
        AnswerOf(await TryOpen(request, maxHeld, cancellationToken).ConfigureAwait(false), request);

    internal override Task<CoapOpenedResponse> TryOpen(CoapForwardedRequest request, int maxHeld, CancellationToken cancellationToken) =>
        _requester.OpenResponseAsync(Make(request), maxHeld, cancellationToken);

    internal override Task<CoapObservation>? ObserveAsync(
        CoapForwardedRequest request, CoapObservationOptions observe, CancellationToken cancellationToken) =>
        _requester.ObserveAsync(Make(request), observe, cancellationToken);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is CoapUpstreamClient other && _requester.Equals(other._requester);

    /// <inheritdoc/>
    public override int GetHashCode() => _requester.GetHashCode();
}
