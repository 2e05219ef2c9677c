using CoAP.NET.Options;
using CoAP.NET.Proxy.Forwarding;

namespace CoAP.NET.Proxy;

/// <summary>A request as a proxy sends it on: what of it is for the other server, without what belongs to one hop.</summary>
public sealed class CoapProxyRequest
{
    internal CoapProxyRequest(
        CoapRequest received, string target, CoapOptionCollection options, TimeSpan timeout, CoapProxyTargets? targets, bool mayBeShared,
        AnswerPlace? place = null, PassingBody? body = null)
    {
        Place = place;
        Passing = body;
        Received = received;
        Target = target;
        Options = options;
        Timeout = timeout;
        Targets = targets;
        MayBeShared = mayBeShared;
    }

    /// <summary>The request as the client sent it, for its identity (<see cref="CoapPeer.Identity"/>) and source. Nothing else of it goes
    /// on.</summary>
    public CoapRequest Received { get; }

    /// <summary>The absolute URI that is asked for, such as <c>coap://sensor.example.com/temperature</c>.</summary>
    public string Target { get; }

    /// <summary>The scheme of <see cref="Target"/>, in lower case.</summary>
    public string Scheme => CoapProxy.SchemeOf(Target);

    /// <summary>The method.</summary>
    public CoapCode Code => Received.Code;

    /// <summary>
    /// The options that go on: those that are safe to forward or that the proxy knows, with its own Hop-Limit. The options of the URI and
    /// of blocks are not among them.
    /// </summary>
    public CoapOptionCollection Options { get; }

    /// <summary>The whole body; empty where it comes as a stream.</summary>
    public ReadOnlyMemory<byte> Payload => Passing?.Held ?? Received.Payload;

    /// <summary>
    /// The body as it comes from the client, where it is larger than what is held, for an upstream that takes it so
    /// (<see cref="CoapProxyUpstream.StreamsBodyOf"/>); otherwise null. It is read once. Reading throws a
    /// <see cref="CoapIncompleteBodyException"/> when the client gives it up.
    /// </summary>
    public Stream? Body => Passing is { IsStream: true } ? Passing : null;

    /// <summary>How many bytes <see cref="Body"/> has as the client says (Size1, RFC 7959 section 4); null when it does not. A
    /// hint.</summary>
    public long? BodyLength => Passing?.Announced;

    /// <summary>How long the answer may take; with a <see cref="Body"/>, each step of it, which the proxy sees to itself.</summary>
    public TimeSpan Timeout { get; }

    /// <summary>
    /// Whom a forward proxy may ask, which the upstream has to heed for every address that it sends to, also after redirects. Null where
    /// the target comes from configuration, as of a reverse proxy.
    /// </summary>
    public CoapProxyTargets? Targets { get; }

    /// <summary>
    /// Whether its answer may be given to other clients that ask the same: now, if they ask while it is under way, and later from a
    /// cache. Not for what changes something, is asked over a secured
    /// transport (RFC 7252 section 11.2), is protected by OSCORE, or answers a challenge.
    /// </summary>
    public bool MayBeShared { get; }

    /// <summary>The same with a body that comes in blocks.</summary>
    /// <param name="body">The body.</param>
    internal CoapProxyRequest With(PassingBody body) => new(Received, Target, Options, Timeout, Targets, MayBeShared, Place, body);

    /// <summary>The body that comes in blocks; null where it came as a whole.</summary>
    internal PassingBody? Passing { get; }

    /// <summary>From where on its answer is wanted, which may come as a stream; null where it has to be held as a whole.</summary>
    internal AnswerPlace? Place { get; }
}
