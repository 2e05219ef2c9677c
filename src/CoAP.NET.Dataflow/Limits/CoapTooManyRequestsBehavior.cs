namespace CoAP.NET;

/// <summary>
/// What a client does when a server defers its requests: 4.29 Too Many Requests, with a Max-Age after which the client may try again (RFC
/// 8516 section 4).
/// </summary>
public enum CoapTooManyRequestsBehavior
{
    /// <summary>Returns the response to the caller.</summary>
    /// <remarks>
    /// A similar request, one to the same resource of the same peer, fails with <see cref="CoapError.RetryLater"/> until the time is
    /// over; nothing is sent.
    /// </remarks>
    FailFast,

    /// <summary>
    /// Waits and sends the request again by itself, up to five times, while its <see cref="CoapRequest.Timeout"/> allows it; similar
    /// requests wait too.
    /// </summary>
    /// <remarks>
    /// The same applies to 5.03 Service Unavailable with a Max-Age (RFC 7252 section 5.9.3.4). The server did not execute the request in
    /// either case, so this is safe for every method.
    /// </remarks>
    Wait,

    /// <summary>Ignores the request of the server, for callers that wait by themselves.</summary>
    None,
}
