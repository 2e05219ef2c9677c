using CoAP.NET.Blockwise;
using CoAP.NET.Exchanges;
using CoAP.NET.Observing;
using CoAP.NET.Options;
using CoAP.NET.Resources;

namespace CoAP.NET.Mesh;

/// <summary>
/// A request being served: it goes up to the Resource stage and comes back with its answer, exactly once (RFC 7252 section 5.2).
/// </summary>
public sealed class CoapExchange : IPausableItem
{
    private int _replied;

    internal CoapExchange(CoapChannel channel, CoapReception? reception, CoapRequest request)
    {
        Channel = channel;
        Reception = reception;
        Request = request;
    }

    /// <summary>The peer.</summary>
    public CoapChannel Channel { get; }

    ReadingHold IPausableItem.Hold => new(Channel.Pausable);

    /// <summary>The request.</summary>
    public CoapRequest Request { get; }

    /// <summary>Whether an answer was given already.</summary>
    public bool IsReplied => Volatile.Read(ref _replied) != 0;

    /// <summary>Which options of the request ask for more than a plain exchange.</summary>
    internal SpecialOptions Special { get; set; }

    /// <summary>What belongs to the body of a request that came with Block1; null for others.</summary>
    internal ExchangeBody? Body
    {
        get => Request.Body;
        set => Request.Body = value;
    }

    /// <summary>
    /// Set by the Resource stage: the <see cref="Registration"/> of a request that asks to observe one. Of the synthetic exchange by which
    /// the state for notifications is made: for whom. Null for all others.
    /// </summary>
    internal ObservingExchange? Observing { get; set; }

    /// <summary>Whether it is the synthetic exchange by which the state for notifications is made, which no peer waits for.</summary>
    internal bool IsForObservers => Observing is { IsForObservers: true };

    /// <summary>Whether what is sent answers no request at hand, such as a notification.</summary>
    internal bool IsWithoutRequest => Reception is null && (!Channel.IsReliable || IsForObservers);

    /// <summary>Where the reply belongs; null on reliable transports.</summary>
    internal CoapReception? Reception { get; }

    /// <summary>
    /// Set by the Resource stage: the handler did not answer at once, so the exchange may stand among the <see cref="UnansweredRequests"/>.
    /// </summary>
    internal bool IsUnanswered { get; set; }

    /// <summary>
    /// Set by the Exchanges stage: the answer is on its way. A second one, for a block that threw after it had passed the first one on, is
    /// late.
    /// </summary>
    internal bool IsAnswered { get; set; }

    /// <summary>Where the request is counted as long as it is under way (<see cref="RequestsUnderWay"/>); 0 when it is not.</summary>
    internal byte Side { get; set; }

    /// <summary>The request is not under way any more: its answer has left, or there will be none. Repeating it does nothing.</summary>
    internal void End()
    {
        if (Side is var side and not 0)
        {
            Side = 0;
            Channel.Requests!.End(side);
        }
    }

    /// <summary>Claims the right to answer; true for the first caller only.</summary>
    internal bool TryClaimReply() => Interlocked.Exchange(ref _replied, 1) == 0;
}
