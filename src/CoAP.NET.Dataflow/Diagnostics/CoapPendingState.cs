namespace CoAP.NET;

/// <summary>What a pending message of this endpoint waits for.</summary>
public enum CoapPendingState
{
    /// <summary>Its turn in the queue: NSTART, PROBING_RATE (RFC 7252 section 4.7) or a Message ID.</summary>
    Queued,

    /// <summary>An acknowledgement or reset: it was sent.</summary>
    Outstanding,

    /// <summary>Its response: it arrived, or needs no acknowledgement.</summary>
    AwaitingResponse,
}
