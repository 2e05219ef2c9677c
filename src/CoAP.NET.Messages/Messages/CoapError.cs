namespace CoAP.NET;

/// <summary>What went wrong, for programs that react to it (<see cref="CoapException.Error"/>).</summary>
public enum CoapError
{
    /// <summary>None of the others. The type of the exception and its message say what happened.</summary>
    Unspecified,

    /// <summary>No response arrived in time (<c>CoapTimeoutException</c>).</summary>
    Timeout,

    /// <summary>The host name of a URI has no address, or the resolver did not find one. Nothing was sent.</summary>
    NameResolution,

    /// <summary>
    /// The peer's host reported that nothing listens at its port: an ICMP message that quotes our own datagram (RFC 7252 section 4.2).
    /// </summary>
    Unreachable,

    /// <summary>The operating system refused to send the message, for a reason that also applies to copies of it. Nothing was
    /// sent.</summary>
    SendFailed,

    /// <summary>The connection could not be opened: nothing listens, no route, or a timeout (RFC 8323).</summary>
    ConnectFailed,

    /// <summary>
    /// The handshake of TLS or DTLS failed: a key, a certificate, a name, the protocol version, or no ALPN <c>coap</c> (RFC 8323 section
    /// 8.2).
    /// </summary>
    HandshakeFailed,

    /// <summary>The peer closed the connection gracefully.</summary>
    Closed,

    /// <summary>The connection broke: reset, or the peer is silent and does not answer a Ping.</summary>
    Lost,

    /// <summary>The peer sent Abort, or this endpoint did because the peer violated a rule (RFC 8323 section 5.6).</summary>
    Aborted,

    /// <summary>The peer requested a graceful end with Release (RFC 8323 section 5.5).</summary>
    Released,

    /// <summary>A limit of this endpoint does not allow the connection.</summary>
    Refused,

    /// <summary>The peer took too long: for its CSM, for a frame, or for reading our data.</summary>
    TooSlow,

    /// <summary>This endpoint closed the connection: it was idle, or the endpoint was stopped.</summary>
    ClosedLocally,

    /// <summary>Another process took the connection over, for example a stored DTLS session; the peer does not notice.</summary>
    /// <remarks>A running request may have taken effect.</remarks>
    HandedOver,

    /// <summary>
    /// The endpoint was stopped before the response arrived. The peer did not fail: another endpoint, or another process, may send the
    /// request again. Whether the request took effect is unknown.
    /// </summary>
    EndpointStopped,

    /// <summary>
    /// The endpoint refused a request before sending it, because too many requests already wait for the same peer, or too many lookups of
    /// host names are running for clients of a proxy.
    /// </summary>
    Busy,

    /// <summary>The endpoint did not send a request, because the server deferred it and the time is not over (RFC 8516 section 4);
    /// <see cref="CoapException.RetryAfter"/> has the remaining time.</summary>
    RetryLater,

    /// <summary>
    /// The endpoint refused a request before sending any of it, because the message, or its token, is larger than the peer accepts.
    /// </summary>
    TooLarge,

    /// <summary>
    /// A request was limited to the cache (<c>CoapCacheMode.OnlyIfCached</c>), but there is no fresh response. Nothing was sent.
    /// </summary>
    NotCached,

    /// <summary>
    /// An observation cannot be resumed (<c>CoapEndpoint.ResumeObservationAsync</c>), because another request or observation of this
    /// endpoint at the same peer uses its token. Observe the resource again.
    /// </summary>
    TokenInUse,

    /// <summary>
    /// The server requests the body again from its beginning, because it lost the body (4.08) or needs smaller blocks (4.13), and the
    /// stream of the body cannot be read again. Send a seekable stream or a file, or send the request again.
    /// </summary>
    BodyNotRepeatable,

    /// <summary>
    /// Reading the body of a request cannot continue: the peer restarted the body, sent too much, was silent for EXCHANGE_LIFETIME, or the
    /// endpoint stopped. A handler may ignore it; the peer already has its response.
    /// </summary>
    BodyIncomplete,

    /// <summary>
    /// The peer rejected the request with a Reset message (RFC 7252 section 4.2): it lacks the context to process it, or does not
    /// understand it.
    /// </summary>
    Reset,

    /// <summary>
    /// The peer answered with a message that must be rejected, such as a response with an unrecognized critical option (RFC 7252 section
    /// 5.4.1).
    /// </summary>
    InvalidResponse,

    /// <summary>
    /// The server has another representation than the one with which the download began: its ETag differs (RFC 7959 section 2.4). What was
    /// downloaded so far belongs to no representation of the server: discard it, and download from the beginning.
    /// </summary>
    RepresentationChanged,

    /// <summary>The peer answered with an error response (<c>CoapResponseException</c>).</summary>
    ErrorResponse,

    /// <summary>
    /// A payload has another Content-Format than expected, is malformed or breaks off (<c>CoapContentException</c>).
    /// </summary>
    InvalidContent,

    /// <summary>Bytes are not a CoAP message, or a text is not in its format, such as a URI (<see cref="CoapFormatException"/>).</summary>
    InvalidFormat,

    /// <summary>An address cannot be bound, so the endpoint does not listen (<c>CoapBindException</c>).</summary>
    BindFailed,
}
