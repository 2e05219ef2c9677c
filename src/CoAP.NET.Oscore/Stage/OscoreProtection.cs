using System.Threading.Tasks.Dataflow;
using CoAP.NET.Execution;
using CoAP.NET.Guarding;
using CoAP.NET.Oscore.Endpoints;
using CoAP.NET.Oscore.Protection;
using CoAP.NET.Oscore.Sequences;
using CoAP.NET.Oscore.Telemetry;
using CoAP.NET.Options;
using CoAP.NET.Peers;
using CoAP.NET.Settings;

namespace CoAP.NET.Oscore.Stage;

/// <summary>OSCORE of the peers of one shard (RFC 8613 section 8). Stateless: contexts and peers have the state. Thread-safe.</summary>
internal sealed class OscoreProtection : CoapMessageProtector
{
    private readonly OscoreInboundBlock _inbound;
    private readonly OscoreOutboundBlock _outbound;
    private readonly OscoreContexts _contexts;
    private readonly OscoreResolverLimiter _lookups;
    private readonly CoapSourceGroupingRule _sources;
    private readonly TimeProvider _time;
    private readonly Lock _gate = new();

    // Guarded by the gate.
    private readonly SourceRateLimiter _derivations;
    private readonly SourceRateLimiter _refusals;

    public OscoreProtection(OscoreContexts contexts, CoapStageContext stage, OscoreTelemetry telemetry)
    {
        _contexts = contexts;
        Telemetry = telemetry;
        _lookups = new OscoreResolverLimiter(contexts, stage.Sources, stage.Random, stage.TimeProvider, telemetry);
        _time = stage.TimeProvider;
        _sources = stage.Sources;
        OscoreLimits limits = contexts.Limits.MakeReadOnlyFor("an endpoint with OSCORE");
        _derivations = new SourceRateLimiter(stage.Random, RateLimit.PerSecond(limits.DerivationsPerSecond, limits.DerivationBurst));
        _refusals = new SourceRateLimiter(stage.Random, RateLimit.PerSecond(limits.RefusalsPerSecond, limits.RefusalBurst));
        _inbound = new OscoreInboundBlock(stage.Pipeline, this, contexts.MaxUnfragmentedSize);
        _outbound = new OscoreOutboundBlock(stage.Pipeline);
    }

    public OscoreLimits Limits => _contexts.Limits;

    /// <summary>Counts and logs what the endpoint does.</summary>
    public OscoreTelemetry Telemetry { get; }

    /// <inheritdoc/>
    public override IPropagatorBlock<CoapInbound, CoapInbound> Inbound => _inbound;

    /// <inheritdoc/>
    public override IPropagatorBlock<CoapOutbound, CoapOutbound> Outbound => _outbound;

    /// <inheritdoc/>
    public override CoapObjectSecurityContext? Find(CoapUri? target, CoapMessage message) =>
        OriginServerResolver.Of(target, message) is { } origin ? _contexts.FindFor(origin) : null;

    /// <summary>Whether a message is protected. Does not verify it.</summary>
    public static bool IsProtected(CoapMessage message) => message.HasOptions && message.Options.Contains(OptionNumber.Oscore);

    /// <summary>Verifies a request of a peer, before anything looks at its options. The caller must hold no lock.</summary>
    /// <param name="channel">The channel that delivered the request.</param>
    /// <param name="message">The request, with type, Message ID and token. Not changed.</param>
    /// <returns>The verdict. The task may complete later; the endpoint then acknowledges a Confirmable request in time.</returns>
    public ValueTask<OscoreVerdict> UnprotectRequestAsync(CoapChannel channel, CoapMessage message)
    {
        if (!message.HasOptions)
        {
            return default;
        }

        if (_contexts.KeyExchange is { } exchange && exchange.IsIn(message))
        {
            return message.Options.TryGetValue(OptionNumber.Oscore, out ReadOnlySpan<byte> bytes)
                && OscoreOptionValue.TryRead(bytes, out OscoreOptionValue option)
                && option is { HasKid: true, HasPartialIv: true }
                    ? new ValueTask<OscoreVerdict>(FinishAsync(exchange, channel, message, option.Kid.ToArray()))
                    : new ValueTask<OscoreVerdict>(Refuse(
                        channel, CoapCode.BadRequest, "An OSCORE option with kid is missing"u8, isOwed: true));
        }

        // Without a key exchange, EDHOC is an unknown critical option: the bytes before the ciphertext do not belong to OSCORE.
        return !message.Options.TryGetValue(OptionNumber.Oscore, out ReadOnlySpan<byte> value) ? default
            : message.Options.Contains(OptionNumber.Edhoc)
                ? new ValueTask<OscoreVerdict>(Refuse(
                    channel, CoapCode.BadOption, "EDHOC with OSCORE is not served here"u8))
            : Unprotect(channel, message, value);
    }

    private async Task<OscoreVerdict> FinishAsync(
        OscoreCombinedRequestServer exchange, CoapChannel channel, CoapMessage message, byte[] kid)
    {
        OscoreKeyExchangeServerResult result = await exchange.FinishAsync(channel, message, kid).ConfigureAwait(false);

        if (!result.IsFinished)
        {
            // RFC 9668 section 3.3.1 requires the answer, for any message type.
            return MayRefuse(channel)
                ? new OscoreVerdict(OscoreVerdictKind.Refuse, null, result.Message, IsOwed: true)
                : OscoreVerdict.Drop;
        }

        return result.Message.Options.TryGetValue(OptionNumber.Oscore, out ReadOnlySpan<byte> value)
            ? await Unprotect(channel, result.Message, value).ConfigureAwait(false)
            : Refuse(channel, default, OscoreFault.Malformed);
    }

    private ValueTask<OscoreVerdict> Unprotect(CoapChannel channel, CoapMessage message, ReadOnlySpan<byte> bytes)
    {
        if (!OscoreOptionValue.TryRead(bytes, out OscoreOptionValue value)
            || message.Payload.IsEmpty
            || !value.HasKid
            || !value.HasPartialIv)
        {
            return new ValueTask<OscoreVerdict>(Refuse(channel, in value, OscoreFault.Malformed));
        }

        if (message.Options.Contains(OptionNumber.QBlock1) || message.Options.Contains(OptionNumber.QBlock2))
        {
            // A hop may split a message with Block only: the endpoint does not reassemble unverified bursts.
            return new ValueTask<OscoreVerdict>(
                Refuse(channel, CoapCode.BadOption, "Q-Block is for the inside only"u8));
        }

        bool isHere = _contexts.TryFind(value.Kid, value.HasKidContext, value.KidContext, out OscoreContext? context)
            || _contexts.TryFindRederived(value.Kid, out context);
        if (isHere && _contexts.Resolver is not null && context!.Availability is var availability
            && availability != OscoreContextLocation.Here)
        {
            if (availability == OscoreContextLocation.Unknown)
            {
                return new ValueTask<OscoreVerdict>(new OscoreVerdict(OscoreVerdictKind.Elsewhere));
            }

            // Another node may have received later requests: the resolver opens it again here, or says where it is.
            isHere = false;
            _contexts.Remove(context);
            _ = context.DisposeAsync().AsTask();
        }

        return isHere
                ? new ValueTask<OscoreVerdict>(Unprotect(channel, message, in value, context!))
            : _contexts.Resolver is { } resolver
                ? new ValueTask<OscoreVerdict>(AskAsync(
                    resolver, channel, message, new OscoreContextLookupKey(value.Kid, value.HasKidContext, value.KidContext)))
            : new ValueTask<OscoreVerdict>(Refuse(channel, in value, OscoreFault.UnknownContext));
    }

    private async Task<OscoreVerdict> AskAsync(
        IOscoreContextResolver resolver, CoapChannel channel, CoapMessage message, OscoreContextLookupKey recipient)
    {
        OscoreLookupResult found = await _lookups.FindAsync(resolver, channel.Remote, channel.IsVerified, recipient, out bool mustVerify)
            .ConfigureAwait(false);
        if (found.FindRelay(channel) is { } relay)
        {
            return new OscoreVerdict(OscoreVerdictKind.Elsewhere) { Relay = relay };
        }

        OscoreContext? context = found.Context;
        if (mustVerify)
        {
            // As small as the request, which rules out amplification.
            return new OscoreVerdict(OscoreVerdictKind.AskForAddress, null, new CoapMessage(CoapCode.Unauthorized));
        }

        return !message.Options.TryGetValue(OptionNumber.Oscore, out ReadOnlySpan<byte> bytes)
            | !OscoreOptionValue.TryRead(bytes, out OscoreOptionValue value)
            || context is null
                ? Refuse(channel, in value, OscoreFault.UnknownContext)
                : Unprotect(channel, message, in value, context);
    }

    private OscoreVerdict Unprotect(
        CoapChannel channel, CoapMessage message, scoped in OscoreOptionValue value, OscoreContext context, OscoreContext? root = null)
    {
        if (context.Rederivation is not null)
        {
            return Rederive(channel, message, in value, context);
        }

        ulong number = value.SequenceNumber;
        if (!context.Window.MayTake(number))
        {
            return Refuse(channel, in value, OscoreFault.Replay);
        }

        OscoreFault fault = OscoreMessageCipher.UnprotectRequest(context, message, in value, out CoapMessage? request);
        if (fault != OscoreFault.None)
        {
            return Refuse(channel, in value, fault);
        }

        if (request!.HasOptions && request.Options.Observe is { } observe && observe != ObserveOption.DeregisterValue
            && !message.Options.Contains(OptionNumber.Observe))
        {
            // A hop removed the outer Observe, and could not handle notifications. It may remove an Observe that ends an observation.
            request.Options.Remove(OptionNumber.Observe);
        }

        // Verified: from here on the number counts as received.
        bool isFresh = context.Window.State == OscoreReplayWindowStatus.Lost && BringsChallenge(context, request!)
            ? context.Window.Synchronize(number) == OscoreReplayVerdict.Fresh
            : context.Window.Take(number) is var verdict && verdict == OscoreReplayVerdict.Fresh;
        OscorePeer peer = (OscorePeer)channel.Protected(root ?? context).Carried!.Peer;
        if (isFresh)
        {
            Telemetry.Count(OscoreMetric.Verified);
            OscoreRequestId id = new(context.Parameters.RecipientKid, number) { Derived = root is null ? null : context };
            peer.OnRequest(request!, id);
            return new OscoreVerdict(OscoreVerdictKind.Deliver, peer, request);
        }

        if (context.Window.State != OscoreReplayWindowStatus.Lost)
        {
            return Refuse(channel, in value, OscoreFault.Replay);
        }

        Telemetry.Challenged(channel, context);
        peer.OnRequest(request!, OscoreRequestId.OfDoubtful(context.Parameters.RecipientKid, number));
        CoapMessage challenge = new(CoapCode.Unauthorized);
        challenge.Options.Add(OptionNumber.Echo, context.Challenge);
        return new OscoreVerdict(OscoreVerdictKind.Answer, peer, challenge);
    }

    // Handles contexts that derive new keys at each start (RFC 8613 appendix B.2).
    private OscoreVerdict Rederive(
        CoapChannel channel, CoapMessage message, scoped in OscoreOptionValue value, OscoreContext context)
    {
        OscoreContext? derived = context.Rederivation!.Find(in value);
        if (derived is null)
        {
            if (!TryDraw(_derivations, channel))
            {
                return OscoreVerdict.Drop;
            }

            OscoreFault fault = context.Rederivation.Begin(message, in value, out derived, out CoapMessage? answer);
            if (derived is null)
            {
                return answer is null
                    ? Refuse(channel, in value, fault)
                    : new OscoreVerdict(OscoreVerdictKind.Refuse, null, answer, IsOwed: true);
            }
        }

        return Unprotect(channel, message, in value, derived, context);
    }

    private static bool BringsChallenge(OscoreContext context, CoapMessage request) =>
        request.Options.TryGetValue(OptionNumber.Echo, out ReadOnlySpan<byte> echo) && echo.SequenceEqual(context.Challenge);

    // RFC 8613 section 8.2: unprotected, and not cacheable.
    private OscoreVerdict Refuse(CoapChannel channel, scoped in OscoreOptionValue value, OscoreFault fault)
    {
        Telemetry.Refused(channel, in value, fault);
        return fault switch
        {
            OscoreFault.UnknownContext => Refuse(channel, CoapCode.Unauthorized, "Security context not found"u8),
            OscoreFault.Replay => Refuse(channel, CoapCode.Unauthorized, "Replay detected"u8),
            OscoreFault.Decryption => Refuse(channel, CoapCode.BadRequest, "Decryption failed"u8),
            _ => Refuse(channel, CoapCode.BadOption, "Failed to decode COSE"u8),
        };
    }

    private OscoreVerdict Refuse(CoapChannel channel, CoapCode code, ReadOnlySpan<byte> diagnostic, bool isOwed = false)
    {
        if (!MayRefuse(channel))
        {
            return OscoreVerdict.Drop;
        }

        CoapMessage answer = new(code) { Payload = diagnostic.ToArray() };
        answer.Options.AddUInt(OptionNumber.MaxAge, 0);
        return new OscoreVerdict(OscoreVerdictKind.Refuse, null, answer, isOwed);
    }

    private bool MayRefuse(CoapChannel channel) => TryDraw(_refusals, channel);

    private bool TryDraw(SourceRateLimiter rates, CoapChannel channel)
    {
        lock (_gate)
        {
            return rates.TryDraw(_sources.Of(channel.Remote), 1, CoapEnvironment.ReadClock(_time));
        }
    }
}
