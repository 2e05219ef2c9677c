using CoAP.NET.Observing;
using CoAP.NET.Observing.Server;
using CoAP.NET.Requests;
using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>A request that the endpoint serves (RFC 7252 section 5.2).</summary>
/// <remarks>It goes up to the Resource stage and returns with its answer, exactly once.</remarks>
public sealed class CoapExchange : IReadPausingItem, IDeferredWork
{
    private bool _isReplied;

    internal CoapExchange(CoapChannel channel, ReceivedMessage? received, CoapRequestContext request)
    {
        Channel = channel;
        Received = received;
        Request = request;
        if (received is { Type: CoapMessageType.Confirmable })
        {
            request.SetExchange(this);
        }
    }

    /// <summary>Begins an exchange, for a Handler of your own (<see cref="CoapStages.Handler"/>).</summary>
    /// <param name="inbound">The item with the request.</param>
    /// <returns>The exchange to pass on to the Resource stage, which returns it in a <see cref="CoapServerReply"/>.</returns>
    /// <exception cref="ArgumentException">The item is not a request.</exception>
    public static CoapExchange Begin(CoapInbound inbound) =>
        inbound is { Kind: CoapInboundKind.Message, Message: { Code.IsRequest: true } message }
            ? Begin(in inbound, message)
            : throw new ArgumentException("The item is not a request. Check Kind and Message.", nameof(inbound));

    internal static CoapExchange Begin(in CoapInbound inbound, CoapMessage message) =>
        new(inbound.Channel, inbound.Received, new CoapRequestContext(message, inbound.Channel)
        {
            Confirmable = inbound.Type == CoapMessageType.Confirmable,
            IsMulticast = inbound.IsMulticast,
        })
        {
            IsLate = inbound.IsLate,
        };

    /// <summary>The peer.</summary>
    public CoapChannel Channel { get; }

    ReadPause IReadPausingItem.ReadPause => new(Channel.Pausable);

    /// <summary>The request.</summary>
    public CoapRequestContext Request { get; }

    /// <summary>Whether the exchange already has an answer.</summary>
    internal bool IsReplied => Volatile.Read(ref _isReplied);

    /// <summary>Whether the request arrived after the endpoint began to stop, so it may only complete what is running.</summary>
    internal bool IsLate { get; init; }

    /// <summary>Which options of the request ask for more than a plain exchange.</summary>
    internal RequestOptionFlags Special { get; set; }

    /// <summary>The state of the body of a request with Block1; null for other requests.</summary>
    internal ReceivedRequestBodyState? Body
    {
        get => Request.Body;
        set => Request.Body = value;
    }

    /// <summary>Set by the Resource stage: the <see cref="PendingObserverRegistration"/> of a request that registers an observer.</summary>
    /// <remarks>
    /// For the synthetic exchange that computes the state for notifications, it names the observers. Null for all other exchanges.
    /// </remarks>
    internal ServerExchangeObserveRole? Observing { get; set; }

    /// <summary>Whether this is the synthetic exchange that computes the state for notifications. No peer waits for its answer.</summary>
    internal bool IsForObservers => Observing is { IsForObservers: true };

    /// <summary>Whether the answer belongs to no pending request, as a notification does.</summary>
    internal bool IsWithoutRequest => Received is null && (!Channel.IsReliable || IsForObservers);

    /// <summary>The received message that the reply answers; null on reliable transports.</summary>
    internal ReceivedMessage? Received { get; }

    /// <summary>
    /// Set by the Resource stage: the handler did not answer at once, so <see cref="UnansweredServerRequests"/> may list the exchange.
    /// </summary>
    internal bool IsUnanswered { get; set; }

    /// <summary>
    /// Set by the Exchanges stage: the answer was sent on. A second answer, from a block that threw after it had passed on the first, is
    /// then late.
    /// </summary>
    internal bool IsAnswered { get; set; }

    /// <summary>
    /// The <see cref="ConnectionRequestCounter"/> side that counts this pending request; 0 when the request is not pending.
    /// </summary>
    internal byte Side { get; set; }

    /// <summary>Ends the pending request: its answer was sent, or there will be none. Further calls do nothing.</summary>
    internal void End()
    {
        if (Side is var side and not 0)
        {
            Side = 0;
            Channel.Connection!.Requests!.End(side);
        }
    }

    // It is served as if the peer had just sent it.
    void IDeferredWork.OnReleased(CoapShard shard) => shard.Effects?.Serve(this);

    /// <summary>Claims the right to answer. Only the first caller gets true.</summary>
    internal bool TryClaimReply()
    {
        if (Interlocked.Exchange(ref _isReplied, true))
        {
            return false;
        }

        if (Received is { Type: CoapMessageType.Confirmable })
        {
            Request.ForgetExchange(Channel);
        }

        return true;
    }

    /// <summary>
    /// Acknowledges the request if it has neither an acknowledgement nor an answer. The caller must hold no lock of a shard.
    /// </summary>
    internal void Acknowledge()
    {
        if (Received is not { } received)
        {
            return;
        }

        CoapShard shard = received.Channel.Shard;
        shard.Enter();
        try
        {
            if (received is { Type: CoapMessageType.Confirmable, State: ReceivedMessageState.Pending, IsRemembered: true })
            {
                // As if the time for a piggybacked response were over.
                shard.Wheel.Cancel(received);
                shard.MessageTimers?.OnDue(received, shard.Environment.Now);
            }
        }
        finally
        {
            shard.ExitAndSend();
        }
    }
}
