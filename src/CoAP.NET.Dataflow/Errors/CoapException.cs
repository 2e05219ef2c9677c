using System.Net.Sockets;
using CoAP.NET.Transports;

namespace CoAP.NET;

// All exceptions of requests in one file: each is a few lines, and they are read together.

/// <summary>The base class of all exceptions that this library throws because of peers and networks.</summary>
/// <remarks>The message says what happened and what to do.</remarks>
public class CoapException : Exception
{
    /// <summary>Creates an exception.</summary>
    public CoapException()
    {
    }

    /// <summary>Creates an exception.</summary>
    /// <param name="message">What happened and what to do.</param>
    public CoapException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an exception.</summary>
    /// <param name="message">What happened and what to do.</param>
    /// <param name="innerException">The cause.</param>
    public CoapException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }

    /// <summary>Whether the endpoint was stopped before the response arrived.</summary>
    /// <remarks>
    /// The peer did not fail: another endpoint, or another process, may send the request again. Whether the request took effect is unknown.
    /// False by default.
    /// </remarks>
    public bool IsEndpointStopped { get; init; }
}

/// <summary>
/// The endpoint refused a request before sending it, because too many requests already wait for the same peer, or too many look-ups of host
/// names are running for clients of a proxy (<see cref="CoapNameResolver"/>).
/// </summary>
public sealed class CoapBusyException : CoapException
{
    internal CoapBusyException(string target, int queued)
        : base($"Too many requests are outstanding: {queued} to {target} are already queued, or as many to all peers as "
            + "MaxOutstandingMessages allows. Send fewer requests at a time, or raise NStart or MaxQueuedRequests for this peer, or "
            + "that limit.")
    {
    }

    internal CoapBusyException(string message)
        : base(message)
    {
    }
}

/// <summary>
/// An observation cannot be adopted (<see cref="CoapAdoptions"/>), because another request or observation of this endpoint at the same peer
/// uses its token.
/// </summary>
/// <remarks>Observe the resource again.</remarks>
public sealed class CoapTokenInUseException : CoapException
{
    internal CoapTokenInUseException(CoapToken token, string peer)
        : base($"Another request to {peer} already uses the token {token}, so its response could not be told from notifications. "
            + "Observe the resource again; the registration of the token ends with its next notification.") => Token = token;

    /// <summary>The token.</summary>
    public CoapToken Token { get; }
}

/// <summary>A connection of a reliable transport could not be opened, or ended before the response arrived (RFC 8323).</summary>
/// <remarks><see cref="Error"/> says why.</remarks>
public sealed class CoapConnectionException : CoapException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="error">The reason.</param>
    /// <param name="message">What happened and what to do.</param>
    /// <param name="innerException">The cause.</param>
    public CoapConnectionException(CoapConnectionError error, string message, Exception? innerException = null)
        : base(message, innerException) => Error = error;

    /// <summary>The reason why the connection could not be opened, or has ended.</summary>
    public CoapConnectionError Error { get; }

    /// <summary>Whether a request that changes state was sent and may have taken effect: read the state before repeating it.</summary>
    public bool IsOutcomeUnknown { get; init; }

    /// <summary>The diagnostic text of the peer's Abort (RFC 8323 section 5.6); null if it sent none.</summary>
    public string? Diagnostic { get; init; }

    /// <summary>
    /// The time during which the peer asked for no new connection (Hold-Off, RFC 8323 section 5.5), counted from this exception; null if it
    /// did not.
    /// </summary>
    public TimeSpan? RetryAfter { get; init; }

    /// <summary>Whether the message never reached the connection, so another connection may send it, whatever its method.</summary>
    internal bool IsUnsent { get; init; }
}

/// <summary>
/// Reading <see cref="CoapRequest.BodyReader"/> cannot continue: the peer restarted the body, sent too much, was silent for
/// EXCHANGE_LIFETIME, or the endpoint stopped.
/// </summary>
/// <remarks>A handler may ignore it; the peer already has its response.</remarks>
public sealed class CoapIncompleteBodyException : CoapException
{
    internal CoapIncompleteBodyException(string message)
        : base(message)
    {
    }
}

/// <summary>
/// The server requests the body again from its beginning, because it lost the body or needs smaller blocks, and the stream of the body
/// cannot be read again.
/// </summary>
/// <remarks>Send a seekable stream or a file, or send the request again.</remarks>
public sealed class CoapBodyNotRepeatableException : CoapException
{
    internal CoapBodyNotRepeatableException(CoapCode answer, string message)
        : base(message) =>
        Answer = answer;

    /// <summary>The response code of the server: 4.08 if it lost the body, 4.13 if it needs smaller blocks.</summary>
    public CoapCode Answer { get; }
}

/// <summary>The host name of a URI has no address, or the resolver did not find one.</summary>
/// <remarks>Nothing was sent. A resolver that only takes too long causes a <see cref="CoapTimeoutException"/>.</remarks>
public sealed class CoapNameResolutionException : CoapException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="hostName">The name.</param>
    /// <param name="error">The error of the resolver.</param>
    /// <param name="innerException">The cause.</param>
    public CoapNameResolutionException(string hostName, SocketError error, Exception? innerException = null)
        : base($"The host name '{hostName}' could not be resolved{(innerException is null ? "" : $": {innerException.Message}")}. "
            + $"{Advice(error)}", innerException)
    {
        HostName = hostName;
        Error = error;
    }

    /// <summary>The name that could not be resolved.</summary>
    public string HostName { get; }

    /// <summary>
    /// The error of the resolver: <see cref="SocketError.HostNotFound"/> for a name that does not exist, <see cref="SocketError.NoData"/>
    /// for a name without an address, <see cref="SocketError.TryAgain"/> if it did not answer and another attempt may help.
    /// </summary>
    public SocketError Error { get; }

    private static string Advice(SocketError error) => error switch
    {
        SocketError.TryAgain => "The resolver did not answer: check this machine's network, and try again.",
        SocketError.NoData => "The name has no address: check it, or use an address.",
        _ => "Check the spelling of the name, or use an address.",
    };
}

/// <summary>
/// A peer answered with a message that must be rejected, such as a response with an unrecognized critical option (RFC 7252 section 5.4.1).
/// </summary>
public sealed class CoapProtocolException : CoapException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="message">What the peer sent, and what it should have sent.</param>
    public CoapProtocolException(string message)
        : base(message)
    {
    }

    /// <summary>
    /// Whether the server has another representation than the one with which the download began: its ETag differs (RFC 7959 section 2.4).
    /// </summary>
    /// <remarks>
    /// What was downloaded so far belongs to no representation of the server: discard it, and download from the beginning. False by
    /// default.
    /// </remarks>
    public bool IsRepresentationChanged { get; init; }
}

/// <summary>
/// The peer rejected the request with a Reset message (RFC 7252 section 4.2): it lacks the context to process it, or does not understand
/// it.
/// </summary>
public sealed class CoapResetException : CoapException
{
    internal CoapResetException(string target)
        : base($"{target} rejected the request with a Reset. It does not understand the message, or does not serve CoAP requests there.")
    {
    }
}

/// <summary>The endpoint did not send a request, because the server deferred it and the time is not over (RFC 8516 section 4).</summary>
/// <remarks><see cref="RetryAfter"/> has the remaining time.</remarks>
public sealed class CoapRetryLaterException : CoapException
{
    internal CoapRetryLaterException(string target, TimeSpan retryAfter)
        : base($"{target} answered 4.29 Too Many Requests; a request to the same resource may be sent "
            + $"in {Math.Ceiling(retryAfter.TotalSeconds)} s. Wait for RetryAfter, or set Patience to Wait.") =>
        RetryAfter = retryAfter;

    /// <summary>The time to wait before sending the request again.</summary>
    public TimeSpan RetryAfter { get; }
}

/// <summary>The operating system refused to send the message, for a reason that also applies to copies of it.</summary>
/// <remarks>Nothing was sent. The message names the reason and the remedy.</remarks>
public sealed class CoapSendException : CoapException
{
    internal CoapSendException(string target, SocketError error)
        : base($"The message to {target} cannot be sent: {new SocketException((int)error).Message}. {Advice(error)}") =>
        SocketError = error;

    /// <summary>The error of the operating system.</summary>
    public SocketError SocketError { get; }

    /// <summary>
    /// Whether an error makes another attempt useless. Unreachable hosts and networks, full buffers and similar errors are temporary:
    /// retransmission continues as usual (RFC 7252 section 4.2).
    /// </summary>
    internal static bool IsLasting(SocketError error) =>
        error is SocketError.AddressFamilyNotSupported or SocketError.ProtocolFamilyNotSupported
            or SocketError.MessageSize or SocketError.AccessDenied or SocketError.InvalidArgument;

    private static string Advice(SocketError error) => error switch
    {
        SocketError.AddressFamilyNotSupported or SocketError.ProtocolFamilyNotSupported =>
            "The endpoint has no socket of that IP version: listen on an address of it as well, or on coap://[::] for both, or give the "
                + "peer's address of the other version.",
        SocketError.MessageSize => "It exceeds the maximum datagram size to that address: send less, or lower MaxMessageSize for this "
            + "peer.",
        SocketError.AccessDenied =>
            "The system forbids it: a firewall rule, a missing permission of the process, or a broadcast address, which CoAP does not "
                + "use. Check the first two, or send to a group.",
        _ => "The chosen local address or interface cannot reach the address: check both, and the scope of an IPv6 address "
            + "such as fe80::1%eth0.",
    };
}

/// <summary>No response arrived in time.</summary>
/// <remarks>
/// <see cref="Awaited"/> says what the request waited for, <see cref="EndedBy"/> and <see cref="Limit"/> which time expired, and
/// <see cref="IsOutcomeUnknown"/> whether the request may have taken effect. A request that its caller cancels ends with an
/// <see cref="OperationCanceledException"/> instead.
/// </remarks>
public sealed class CoapTimeoutException : CoapException
{
    internal CoapTimeoutException(in TimeoutFacts facts, CoapCode method, string target)
        : base(facts.Describe(method, target))
    {
        Facts = facts;
        Method = method;
        Target = target;
    }

    /// <summary>What the request waited for.</summary>
    public CoapAwaited Awaited => Facts.Awaited;

    /// <summary>The time limit that expired.</summary>
    public CoapTimeLimit EndedBy => Facts.EndedBy;

    /// <summary>
    /// The length of that time limit: for <see cref="CoapTimeLimit.RequestTimeout"/> the whole <see cref="CoapRequest.Timeout"/>, which
    /// earlier steps may have used in part.
    /// </summary>
    public TimeSpan Limit => Facts.Limit;

    /// <summary>
    /// The progress of the connection or session that was being opened; null if <see cref="Awaited"/> is not one of its steps.
    /// </summary>
    public CoapConnectProgress? ConnectProgress => Facts.Progress;

    /// <summary>The progress of the request: whether it was sent, and whether there is evidence that it arrived.</summary>
    public CoapTimeoutReason Reason => Facts.Reason;

    /// <summary>Whether the request changes state and may have reached the server: read the state before repeating it.</summary>
    public bool IsOutcomeUnknown => Facts.MayHaveActed(Method);

    internal TimeoutFacts Facts { get; }

    private CoapCode Method { get; }

    private string Target { get; }

    /// <summary>Creates the same exception with another time limit.</summary>
    internal CoapTimeoutException By(CoapTimeLimit limit) => new(Facts with { EndedBy = limit }, Method, Target);

    /// <summary>Creates the same exception for a message that is part of a larger transfer.</summary>
    /// <param name="limit">The timeout of the whole request; null if it has none.</param>
    internal CoapTimeoutException InTransfer(TimeSpan? limit) => new(
        Facts with
        {
            Awaited = CoapAwaited.NextBlock,
            HasBegun = true,
            Limit = EndedBy == CoapTimeLimit.RequestTimeout && limit is { } whole ? whole : Limit,
        },
        Method,
        Target);
}

/// <summary>
/// The endpoint refused a request before sending any of it, because the message, or its token, is larger than the peer accepts.
/// </summary>
public sealed class CoapTooLargeException : CoapException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="size">The size of the message, body or token, in bytes.</param>
    /// <param name="maxSize">The maximum that the peer accepts, in bytes.</param>
    /// <param name="message">What happened and what to do.</param>
    public CoapTooLargeException(long? size, long maxSize, string message)
        : base(message)
    {
        Size = size;
        MaxSize = maxSize;
    }

    /// <summary>The size in bytes of the message, body or token; null if it is unknown, as for a body from a stream.</summary>
    public long? Size { get; }

    /// <summary>The maximum that the peer accepts, in bytes.</summary>
    public long MaxSize { get; }
}

/// <summary>
/// The peer's host reported that nothing listens at its port: an ICMP message that quotes our own datagram (RFC 7252 section 4.2).
/// </summary>
public sealed class CoapUnreachableException : CoapException
{
    internal CoapUnreachableException(string target)
        : base($"Nothing listens at {target}: its host reported the port unreachable. Check address and port, and whether the server runs.")
    {
    }

    internal CoapUnreachableException(string target, Exception innerException)
        : base($"{target} disappeared during a transfer: its host reported the port unreachable. A part of the body was "
            + "transferred; start again when the server runs.", innerException) =>
        HasBegun = true;

    /// <summary>Whether the peer already answered a part of the request, so another address cannot replace it.</summary>
    internal bool HasBegun { get; }
}
