namespace CoAP.NET;

/// <summary>
/// What a client does when a server asks for patience: 4.29 Too Many Requests with the Max-Age after which it may be asked again (RFC 8516
/// section 4).
/// </summary>
public enum CoapPatience
{
    /// <summary>
    /// The response is given to the caller. A similar request, one to the same resource of the same peer, fails with
    /// <see cref="CoapRetryLaterException"/> until the time is over; nothing is sent.
    /// </summary>
    FailFast,

    /// <summary>
    /// The request waits and is sent again by itself, up to five times, as long as its <see cref="CoapRequest.Timeout"/> allows; similar
    /// requests wait too. So after 5.03 Service Unavailable with a Max-Age (RFC 7252 section 5.9.3.4). Nothing was carried out in either
    /// case, so this is right for every method.
    /// </summary>
    Wait,

    /// <summary>Requests are sent whatever the server asked for, for callers who keep the time themselves.</summary>
    None,
}
