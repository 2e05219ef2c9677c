namespace CoAP.NET;

/// <summary>What a message of ours waits for.</summary>
public enum CoapPendingState
{
    /// <summary>Its turn: NSTART, PROBING_RATE (RFC 7252 section 4.7) or a Message ID.</summary>
    Queued,

    /// <summary>It was sent and can be matched by an acknowledgement or reset.</summary>
    Outstanding,

    /// <summary>It arrived, or needs no acknowledgement; its response is awaited.</summary>
    AwaitingResponse,
}
