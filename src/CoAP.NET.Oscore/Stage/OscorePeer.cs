using System.Diagnostics.CodeAnalysis;
using System.Text;
using CoAP.NET.Diagnostics;
using CoAP.NET.Oscore.Endpoints;
using CoAP.NET.Oscore.Protection;
using CoAP.NET.Oscore.Sequences;
using CoAP.NET.Oscore.Telemetry;
using CoAP.NET.Peers;
using CoAP.NET.Shard;

namespace CoAP.NET.Oscore.Stage;

/// <summary>A security context in use with one peer; relates each response to its request, in both directions.</summary>
internal sealed class OscorePeer : CoapPeerSecurityContext
{
    private const int MaxDiagnostic = 256;

    private readonly OscoreContext _context;
    private readonly OscoreTelemetry? _telemetry;
    private readonly Lock _gate = new();
    private readonly Dictionary<CoapToken, OscorePendingRequest> _asked = [];
    private readonly OscoreServerExchangeTable _served;
    private volatile bool _lacksNumber;
    private bool _isInUse;

    public OscorePeer(OscoreContext context, OscoreTelemetry? telemetry, int maxRequests)
    {
        _served = new OscoreServerExchangeTable(maxRequests);
        _context = context;
        _telemetry = telemetry;
    }

    /// <inheritdoc/>
    public override bool IsReady
    {
        get
        {
            if (!_lacksNumber && !_context.Sequence.HasOne)
            {
                Watch();
            }

            return !_lacksNumber;
        }
    }

    private ClientCombinedRequestSelector? First => _context.FirstRequest;

    /// <summary>Handles a verified request of the peer, to which its responses refer.</summary>
    public void OnRequest(CoapMessage request, OscoreRequestId id)
    {
        bool registers = request.Options.Observe == ObserveOption.RegisterValue;
        lock (_gate)
        {
            _served.Add(request.Token, id, registers, isDue: !request.HasOptions || request.Options.NoResponse is null);
            NoteUseLocked();
        }

        First?.OnVerified();
        if (registers)
        {
            // Each notification has a number of its own, and one without a number waits as long as after a loss.
            _context.Sequence.Prefetch();
        }
    }

    /// <inheritdoc/>
    public override bool TryProtect(CoapMessage message, [NotNullWhen(true)] out CoapMessage? protectedMessage) =>
        message.Code.IsRequest ? TryProtectRequest(message, out protectedMessage) : TryProtectResponse(message, out protectedMessage);

    /// <inheritdoc/>
    public override void OnRequestEnded(CoapToken token)
    {
        lock (_gate)
        {
            _asked.Remove(token);
            NoteUseLocked();
        }

        First?.OnEnded(this, token);
    }

    /// <inheritdoc/>
    public override void OnObserverGone(CoapToken token)
    {
        lock (_gate)
        {
            _served.OnObserverGone(token);
            NoteUseLocked();
        }
    }

    /// <summary>Waits until <see cref="IsReady"/> is true, for example while numbers are reserved.</summary>
    /// <exception cref="CoapException">
    /// <see cref="IsReady"/> will never be true: the context is closed or exhausted, or its state cannot be stored.
    /// </exception>
    public async ValueTask PrepareAsync()
    {
        if (First is { } first)
        {
            await first.WaitAsync().ConfigureAwait(false);
        }

        try
        {
            await _context.Sequence.WaitAsync(CancellationToken.None).ConfigureAwait(false);
        }
        catch (ObjectDisposedException exception)
        {
            throw new CoapException("The security context is closed; nothing can be sent with it.", exception);
        }
        finally
        {
            _lacksNumber = false;
        }
    }

    /// <summary>Verifies a message that has the token of a protected request of this endpoint. The caller must hold no lock.</summary>
    /// <param name="message">The message, protected or not. Not changed.</param>
    public OscoreVerdict UnprotectResponse(CoapMessage message)
    {
        OscorePendingRequest? asked;
        lock (_gate)
        {
            _asked.TryGetValue(message.Token, out asked);
        }

        if (asked is null)
        {
            return OscoreVerdict.Drop;
        }

        if (!message.HasOptions || !message.Options.TryGetValue(OptionNumber.Oscore, out ReadOnlySpan<byte> bytes))
        {
            _telemetry?.ResponseDropped(Channel, OscoreMetric.ResponseUnprotected);

            // An unprotected answer does not end a confirmed registration.
            return asked.IsVerified
                ? OscoreVerdict.Drop
                : new OscoreVerdict(OscoreVerdictKind.Fail, this) { Error = First?.ErrorOf(message) ?? Unprotected(message) };
        }

        CoapMessage? response = null;
        OscoreFault fault = message.Payload.IsEmpty || !OscoreOptionValue.TryRead(bytes, out OscoreOptionValue value)
            ? OscoreFault.Malformed
            : asked.TryTakeRederived(_context, message, in value, out response)
                ? OscoreFault.None
            : asked.Take(_context, message, in value, out response);
        if (fault != OscoreFault.None)
        {
            _telemetry?.ResponseDropped(
                Channel, fault == OscoreFault.Replay ? OscoreMetric.ResponseRepeated : OscoreMetric.ResponseForged);
            return OscoreVerdict.Drop;
        }

        First?.OnVerified();
        _telemetry?.Count(OscoreMetric.Verified);
        return new OscoreVerdict(OscoreVerdictKind.Deliver, this, response);
    }

    private bool TryProtectRequest(CoapMessage message, [NotNullWhen(true)] out CoapMessage? protectedMessage)
    {
        protectedMessage = null;
        OscoreKeyExchangeLastMessage? exchange = null;
        bool isConfirmed = true;
        OscoreContext? derived = _context.Rederivation?.ForRequest(out isConfirmed);
        if (First?.MustWait(this, message.Token) == true
            || !TryTakeNumber(derived ?? _context, out ulong number)
            || First?.TrySend(this, message.Token, out exchange) == false)
        {
            return false;
        }

        OscoreRequestId id = new(_context.Parameters.SenderKid, number) { Derived = derived };
        bool observes = message.HasOptions && message.Options.Observe is not null;
        try
        {
            protectedMessage = OscoreMessageCipher.ProtectRequest(
                derived ?? _context, _context.Rederivation?.WithoutMarker(message) ?? message, id, kidContext: true, !isConfirmed,
                Channel.Shard.Environment.Registry);
        }
        catch (ObjectDisposedException)
        {
            // The keys were wiped a moment ago. The sender gets an error, or uses the keys that replaced them.
            return false;
        }

        exchange?.AddTo(protectedMessage);
        lock (_gate)
        {
            _asked[message.Token] = new OscorePendingRequest(id, observes, _asked.GetValueOrDefault(message.Token));
            NoteUseLocked();
        }

        _telemetry?.Count(OscoreMetric.Protected);
        return true;
    }

    private bool TryProtectResponse(CoapMessage message, [NotNullWhen(true)] out CoapMessage? protectedMessage)
    {
        protectedMessage = null;
        OscoreRequestId? id;
        bool isNotification = message.HasOptions && message.Options.Contains(OptionNumber.Observe);
        lock (_gate)
        {
            if (!_served.TryFind(message.Token, isNotification, out id))
            {
                return false;
            }
        }

        OscoreContext keys = id.Derived ?? _context;

        // A challenge may answer a replay, whose original response already used the nonce (RFC 8613 appendix B.1.2).
        ulong? own = null;
        if (!id.MayUseNonce || !id.TryUseNonce())
        {
            if (!TryTakeNumber(keys, out ulong number))
            {
                return false;
            }

            own = number;
        }

        try
        {
            protectedMessage = OscoreMessageCipher.ProtectResponse(keys, message, id, own, Channel.Shard.Environment.Registry);
        }
        catch (ObjectDisposedException)
        {
            return false;
        }

        lock (_gate)
        {
            _served.OnAnswered(message.Token, isNotification);
            NoteUseLocked();
        }

        _telemetry?.Count(OscoreMetric.Protected);
        return true;
    }

    // Wipes a retired context when the last of its peers has no pending exchange.
    private void NoteUseLocked()
    {
        bool isInUse = _asked.Count > 0 || _served.Open > 0;
        if (isInUse == _isInUse)
        {
            return;
        }

        _isInUse = isInUse;
        if (isInUse)
        {
            _context.Enter();
        }
        else
        {
            _context.Leave();
        }
    }

    private bool TryTakeNumber(OscoreContext keys, out ulong number)
    {
        if (keys.Sequence.TryTake(out number) == SenderSequenceNumberResult.Taken)
        {
            return true;
        }

        Watch();
        return false;
    }

    private void Watch()
    {
        if (!_lacksNumber)
        {
            _lacksNumber = true;
            _ = WatchAsync();
        }
    }

    // Sending under a lock cannot wait; this notifies it when there are numbers.
    private async Task WatchAsync()
    {
        try
        {
            Task prepared = PrepareAsync().AsTask();
            if (prepared.IsCompletedSuccessfully)
            {
                // The lock may be that of the caller, which checks again.
                return;
            }

            await prepared.ConfigureAwait(false);
            CoapShard shard = Channel.Shard;
            shard.Enter();
            try
            {
                Channel.Wire.Messaging.Sending?.Fire(shard.Environment.Now);
            }
            finally
            {
                shard.ExitAndSend();
            }
        }
#pragma warning disable CA1031 // the next sender gets the error
        catch (Exception)
#pragma warning restore CA1031
        {
            _lacksNumber = false;
        }
    }

    private CoapUnprotectedResponseException Unprotected(CoapMessage message)
    {
        string? diagnostic = message.Payload.IsEmpty || (message.HasOptions && message.Options.ContentFormat is not null)
            ? null
            : Encoding.UTF8.GetString(message.Payload.Span[..Math.Min(message.Payload.Length, MaxDiagnostic)]);
        string said = diagnostic is null ? string.Empty : $" ({CoapUntrustedText.LineOf(diagnostic)})";
        return new CoapUnprotectedResponseException(message.Code, diagnostic,
            $"The protected request to {Channel} got the unprotected answer {message.Code}{said}. Its sender does not have the keys, or "
                + $"other keys than {_context}. Check the IDs, the secret and whether the server knows the context.");
    }
}
