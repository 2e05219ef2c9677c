using CoAP.NET.Proxy.Forwarding;

namespace CoAP.NET.Proxy;

/// <summary>A request as a proxy forwards it: the end-to-end parts, without those of a single hop.</summary>
internal sealed class CoapForwardedRequest
{
    internal CoapForwardedRequest(
        CoapRequestContext received, CoapQuotaSource source, string target, CoapOptionCollection options, TimeSpan timeout,
        CoapProxyTargets? targets, bool mayBeShared, ResponseBodyOffset? place = null, ForwardedRequestBody? body = null)
    {
        Start = place;
        Passing = body;
        Received = received;
        Source = source;
        Target = target;
        Options = options;
        Timeout = timeout;
        Targets = targets;
        MayBeShared = mayBeShared;
    }

    /// <summary>
    /// The request as received from the client, for its identity (<see cref="CoapPeer.Identity"/>). No other part of it is forwarded.
    /// </summary>
    public CoapRequestContext Received { get; }

    /// <summary>The source of the client (<see cref="CoapPeer.Source"/>), for its shares of what clients can fill.</summary>
    public CoapQuotaSource Source { get; }

    /// <summary>The absolute URI of the target, such as <c>coap://sensor.example.com/temperature</c>.</summary>
    public string Target { get; }

    /// <summary>The scheme of <see cref="Target"/>, in lower case.</summary>
    public string Scheme => CoapProxy.SchemeOf(Target);

    /// <summary>The method.</summary>
    public CoapCode Code => Received.Code;

    /// <summary>The options to forward: those that are safe to forward or that the proxy knows, with the proxy's own Hop-Limit.</summary>
    /// <remarks>The options of the URI and of blocks are not included.</remarks>
    public CoapOptionCollection Options { get; }

    /// <summary>The whole body; empty if it arrives as a stream.</summary>
    public ReadOnlyMemory<byte> Payload => Passing?.BufferedBytes ?? Received.Payload;

    /// <summary>
    /// The body as a stream from the client, if it is larger than the buffer and the upstream accepts streams
    /// (<see cref="UpstreamClient.StreamsBodyOf"/>); otherwise null.
    /// </summary>
    /// <remarks>Read it once. Reading throws a <see cref="CoapException"/> (<see cref="CoapError.BodyIncomplete"/>) if the client aborts
    /// it.</remarks>
    public Stream? Body => Passing is { IsStream: true } ? Passing : null;

    /// <summary>
    /// The length of <see cref="Body"/> in bytes according to the client (Size1, RFC 7959 section 4); null without Size1. A hint.
    /// </summary>
    public long? BodyLength => Passing?.Announced;

    /// <summary>The maximum time for the response. With a <see cref="Body"/> it applies to each step, and the proxy enforces it.</summary>
    public TimeSpan Timeout { get; }

    /// <summary>The targets that a forward proxy allows; null if the target comes from configuration, as for a reverse proxy.</summary>
    /// <remarks>The upstream must check them for every address that it sends to, also after redirects.</remarks>
    public CoapProxyTargets? Targets { get; }

    /// <summary>
    /// Whether other clients with an equal request may get the response: now, while the request is pending, and later from a cache.
    /// </summary>
    /// <remarks>
    /// False for requests that change something, are sent over a secured transport (RFC 7252 section 11.2), are protected by OSCORE, or
    /// answer a challenge.
    /// </remarks>
    public bool MayBeShared { get; }

    /// <summary>Returns a copy whose body arrives in blocks.</summary>
    internal CoapForwardedRequest With(ForwardedRequestBody body) =>
        new(Received, Source, Target, Options, Timeout, Targets, MayBeShared, Start, body);

    /// <summary>The body that arrives in blocks; null if it arrived as a whole.</summary>
    internal ForwardedRequestBody? Passing { get; }

    /// <summary>The start of the wanted part of the response, which may come as a stream; null if it has to be buffered.</summary>
    internal ResponseBodyOffset? Start { get; }
}
