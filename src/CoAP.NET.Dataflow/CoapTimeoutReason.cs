namespace CoAP.NET;

/// <summary>How far a request had come when its time was over.</summary>
public enum CoapTimeoutReason
{
    /// <summary>It never left: it was still waiting for its turn (NSTART, RFC 7252 section 4.7).</summary>
    NotSent,

    /// <summary>It was sent, and nobody acknowledged it or answered (RFC 7252 section 4.2).</summary>
    NotAcknowledged,

    /// <summary>It was acknowledged, but no response followed (RFC 7252 section 5.2.2).</summary>
    NoResponse,
}
