using CoAP.NET.Execution;
using CoAP.NET.Guarding;
using CoAP.NET.Oscore.Protection;
using CoAP.NET.Oscore.Sequences;
using CoAP.NET.Oscore.Telemetry;
using CoAP.NET.Peers;
using CoAP.NET.Protection;
using CoAP.NET.Settings;

namespace CoAP.NET.Oscore.Endpoints;

/// <summary>OSCORE of the peers of one shard (RFC 8613 section 8). Stateless: contexts and peers have the state.</summary>
internal sealed class OscoreProtection : CoapMessageProtector
{
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
        OscoreLimits limits = contexts.Limits.UsedBy("an endpoint with OSCORE");
        _derivations = new SourceRateLimiter(stage.Random, RateLimit.PerSecond(limits.DerivationsPerSecond, limits.DerivationBurst));
        _refusals = new SourceRateLimiter(stage.Random, RateLimit.PerSecond(limits.RefusalsPerSecond, limits.RefusalBurst));
    }

    public OscoreLimits Limits => _contexts.Limits;

    /// <summary>Counts and logs what the endpoint does.</summary>
    public OscoreTelemetry Telemetry { get; }

    /// <inheritdoc/>
    public override CoapObjectSecurityContext? Find(CoapUri? target, CoapChannel channel) =>
        target is null ? null : _contexts.FindFor(target);

    /// <inheritdoc/>
    public override int MaxUnfragmentedSize => _contexts.MaxUnfragmentedSize;

    /// <inheritdoc/>
    public override bool IsProtected(CoapMessage message) => message.HasOptions && message.Options.Contains(OptionNumber.Oscore);

    /// <inheritdoc/>
    public override ValueTask<CoapProtectionVerdict> UnprotectRequestAsync(CoapChannel channel, CoapMessage message)
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
                    ? new ValueTask<CoapProtectionVerdict>(FinishAsync(exchange, channel, message, option.Kid.ToArray()))
                    : new ValueTask<CoapProtectionVerdict>(Refuse(
                        channel, CoapCode.BadRequest, "An OSCORE option with kid is missing"u8, isOwed: true));
        }

        // Without a key exchange, EDHOC is an unknown critical option: the bytes before the ciphertext do not belong to OSCORE.
        return !message.Options.TryGetValue(OptionNumber.Oscore, out ReadOnlySpan<byte> value) ? default
            : message.Options.Contains(OptionNumber.Edhoc)
                ? new ValueTask<CoapProtectionVerdict>(Refuse(
                    channel, CoapCode.BadOption, "EDHOC with OSCORE is not served here"u8))
            : Unprotect(channel, message, value);
    }

    private async Task<CoapProtectionVerdict> FinishAsync(
        OscoreCombinedRequestServer exchange, CoapChannel channel, CoapMessage message, byte[] kid)
    {
        OscoreKeyExchangeServerResult result = await exchange.FinishAsync(channel, message, kid).ConfigureAwait(false);

        if (!result.IsFinished)
        {
            // RFC 9668 section 3.3.1 requires the answer, for any message type.
            return MayRefuse(channel) ? CoapProtectionVerdict.Refuse(result.Message, isOwed: true) : CoapProtectionVerdict.Drop;
        }

        return result.Message.Options.TryGetValue(OptionNumber.Oscore, out ReadOnlySpan<byte> value)
            ? await Unprotect(channel, result.Message, value).ConfigureAwait(false)
            : Refuse(channel, default, OscoreFault.Malformed);
    }

    private ValueTask<CoapProtectionVerdict> Unprotect(CoapChannel channel, CoapMessage message, ReadOnlySpan<byte> bytes)
    {
        if (!OscoreOptionValue.TryRead(bytes, out OscoreOptionValue value)
            || message.Payload.IsEmpty
            || !value.HasKid
            || !value.HasPartialIv)
        {
            return new ValueTask<CoapProtectionVerdict>(Refuse(channel, in value, OscoreFault.Malformed));
        }

        if (message.Options.Contains(OptionNumber.QBlock1) || message.Options.Contains(OptionNumber.QBlock2))
        {
            // A hop may split a message with Block only: the endpoint does not reassemble unverified bursts.
            return new ValueTask<CoapProtectionVerdict>(
                Refuse(channel, CoapCode.BadOption, "Q-Block is for the inside only"u8));
        }

        bool isHere = _contexts.TryFind(value.Kid, value.HasKidContext, value.KidContext, out OscoreContext? context)
            || _contexts.TryFindRederived(value.Kid, out context);
        if (isHere && _contexts.Resolver is not null && context!.Owner is var place && place != OscoreContextAvailability.Here)
        {
            if (place == OscoreContextAvailability.Unknown)
            {
                return new ValueTask<CoapProtectionVerdict>(CoapProtectionVerdict.Elsewhere(relay: null));
            }

            // Another node may have received later requests: the resolver opens it again here, or says where it is.
            isHere = false;
            _contexts.Remove(context);
            _ = context.DisposeAsync().AsTask();
        }

        return isHere
                ? new ValueTask<CoapProtectionVerdict>(Unprotect(channel, message, in value, context!))
            : _contexts.Resolver is { } resolver
                ? new ValueTask<CoapProtectionVerdict>(AskAsync(
                    resolver, channel, message, new OscoreContextLookupKey(value.Kid, value.HasKidContext, value.KidContext)))
            : new ValueTask<CoapProtectionVerdict>(Refuse(channel, in value, OscoreFault.UnknownContext));
    }

    private async Task<CoapProtectionVerdict> AskAsync(
        IOscoreContextResolver resolver, CoapChannel channel, CoapMessage message, OscoreContextLookupKey recipient)
    {
        OscoreLookupResult found = await _lookups.FindAsync(resolver, channel.Remote, channel.IsVerified, recipient, out bool mustVerify)
            .ConfigureAwait(false);
        if (found.FindRelay(channel) is { } relay)
        {
            return CoapProtectionVerdict.Elsewhere(relay);
        }

        OscoreContext? context = found.Context;
        if (mustVerify)
        {
            // As small as the request, which rules out amplification.
            return CoapProtectionVerdict.AskForAddress(new CoapMessage(CoapCode.Unauthorized));
        }

        return !message.Options.TryGetValue(OptionNumber.Oscore, out ReadOnlySpan<byte> bytes)
            | !OscoreOptionValue.TryRead(bytes, out OscoreOptionValue value)
            || context is null
                ? Refuse(channel, in value, OscoreFault.UnknownContext)
                : Unprotect(channel, message, in value, context);
    }

    private CoapProtectionVerdict Unprotect(
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
        OscorePeer peer = (OscorePeer)PeerOf(channel, root ?? context);
        if (isFresh)
        {
            Telemetry.Count(OscoreMetric.Verified);
            OscoreRequestId id = new(context.Parameters.RecipientKid, number) { Derived = root is null ? null : context };
            peer.OnRequest(request!, id);
            return CoapProtectionVerdict.Deliver(peer, request!);
        }

        if (context.Window.State != OscoreReplayWindowStatus.Lost)
        {
            return Refuse(channel, in value, OscoreFault.Replay);
        }

        Telemetry.Challenged(channel, context);
        peer.OnRequest(request!, OscoreRequestId.OfDoubtful(context.Parameters.RecipientKid, number));
        CoapMessage challenge = new(CoapCode.Unauthorized);
        challenge.Options.Add(OptionNumber.Echo, context.Challenge);
        return CoapProtectionVerdict.Answer(peer, challenge);
    }

    // Handles contexts that derive new keys at each start (RFC 8613 appendix B.2).
    private CoapProtectionVerdict Rederive(
        CoapChannel channel, CoapMessage message, scoped in OscoreOptionValue value, OscoreContext context)
    {
        OscoreContext? derived = context.Rederivation!.Find(in value);
        if (derived is null)
        {
            if (!TryDraw(_derivations, channel))
            {
                return CoapProtectionVerdict.Drop;
            }

            OscoreFault fault = context.Rederivation.Begin(message, in value, out derived, out CoapMessage? answer);
            if (derived is null)
            {
                return answer is null ? Refuse(channel, in value, fault) : CoapProtectionVerdict.Refuse(answer, isOwed: true);
            }
        }

        return Unprotect(channel, message, in value, derived, context);
    }

    private static bool BringsChallenge(OscoreContext context, CoapMessage request) =>
        request.Options.TryGetValue(OptionNumber.Echo, out ReadOnlySpan<byte> echo) && echo.SequenceEqual(context.Challenge);

    // RFC 8613 section 8.2: unprotected, and not cacheable.
    private CoapProtectionVerdict Refuse(CoapChannel channel, scoped in OscoreOptionValue value, OscoreFault fault)
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

    private CoapProtectionVerdict Refuse(CoapChannel channel, CoapCode code, ReadOnlySpan<byte> diagnostic, bool isOwed = false)
    {
        if (!MayRefuse(channel))
        {
            return CoapProtectionVerdict.Drop;
        }

        CoapMessage answer = new(code) { Payload = diagnostic.ToArray() };
        answer.Options.AddUInt(OptionNumber.MaxAge, 0);
        return CoapProtectionVerdict.Refuse(answer, isOwed);
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
