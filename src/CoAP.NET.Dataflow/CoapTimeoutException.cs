namespace CoAP.NET;

/// <summary>No response came in time. <see cref="Reason"/> says how far the request came; <see cref="IsOutcomeUnknown"/> whether it may have taken effect.</summary>
public sealed class CoapTimeoutException : CoapException
{
    internal CoapTimeoutException(CoapTimeoutReason reason, CoapCode method, string target)
        : base(Describe(reason, method, target))
    {
        Reason = reason;
        IsOutcomeUnknown = reason != CoapTimeoutReason.NotSent && method.IsRequest && !method.IsSafe;
    }

    /// <summary>How far the request came.</summary>
    public CoapTimeoutReason Reason { get; }

    /// <summary>Whether the request asks for a change and may have reached the server: ask for the state before doing it again.</summary>
    public bool IsOutcomeUnknown { get; }

    private static string Describe(CoapTimeoutReason reason, CoapCode method, string target)
    {
        string what = reason switch
        {
            CoapTimeoutReason.NotSent => $"{method} to {target} never left: it waited for its turn until its time was over. Raise NStart for this peer, send less at a time or allow more time.",
            CoapTimeoutReason.NotAcknowledged => $"{method} to {target} was not answered: no acknowledgement after all retransmissions. The peer is down, asleep or not reachable.",
            _ => $"{method} to {target} was delivered, but no response followed in time. Allow more time by Timeout or ResponseTimeout.",
        };
        return reason != CoapTimeoutReason.NotSent && method.IsRequest && !method.IsSafe ? what + " Whether it took effect is unknown." : what;
    }
}
