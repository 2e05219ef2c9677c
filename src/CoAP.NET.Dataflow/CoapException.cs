using System.Net.Sockets;
using CoAP.NET.Content;
using CoAP.NET.Transports;

namespace CoAP.NET;

// All exceptions that requests fail by, in one file: each is a few lines, and they are read together.

/// <summary>
/// The base of all exceptions that this library throws for what peers and networks do. The message says what happened and what to do.
/// </summary>
public class CoapException : Exception
{
    /// <summary>Makes an exception.</summary>
    public CoapException()
    {
    }

    /// <summary>Makes an exception.</summary>
    /// <param name="message">What happened and what to do.</param>
    public CoapException(string message)
        : base(message)
    {
    }

    /// <summary>Makes an exception.</summary>
    /// <param name="message">What happened and what to do.</param>
    /// <param name="innerException">What caused it.</param>
    public CoapException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }

    /// <summary>
    /// Whether the endpoint was stopped before the request was answered, so that it is no failure of the peer: another endpoint, or another
    /// process, may send the request again. Whether it has taken effect is not known. False by default.
    /// </summary>
    public bool IsEndpointStopped { get; init; }
}

/// <summary>A request was refused locally, before anything was sent, because too many wait for the same peer already.</summary>
public sealed class CoapBusyException : CoapException
{
    internal CoapBusyException(string target, int queued)
        : base($"Too many requests are outstanding: {queued} to {target} wait for their turn already, or as many to all peers as "
            + "MaxOutstandingMessages allows. Send less at a time, or raise NStart or MaxQueuedRequests for this peer, or that limit.")
    {
    }

    internal CoapBusyException(string message)
        : base(message)
    {
    }
}

/// <summary>
/// An observation cannot be adopted (<see cref="CoapAdoptions"/>), as its token is already that of another request or observation of this
/// endpoint at the same peer. Observe the resource anew.
/// </summary>
public sealed class CoapTokenInUseException : CoapException
{
    internal CoapTokenInUseException(CoapToken token, string peer)
        : base($"The token {token} is already that of another request to {peer}, so no notification could be told from its response. "
            + "Observe the resource anew; the registration of the token ends with its next notification.") => Token = token;

    /// <summary>The token.</summary>
    public CoapToken Token { get; }
}

/// <summary>
/// A connection of a reliable transport could not be opened, or ended before the response came (RFC 8323). <see cref="Error"/> says why.
/// </summary>
public sealed class CoapConnectionException : CoapException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="error">Why.</param>
    /// <param name="message">What happened and what to do.</param>
    /// <param name="innerException">What caused it.</param>
    public CoapConnectionException(CoapConnectionError error, string message, Exception? innerException = null)
        : base(message, innerException) => Error = error;

    /// <summary>Why the connection could not be opened, or has ended.</summary>
    public CoapConnectionError Error { get; }

    /// <summary>
    /// Whether a request was sent that asks for a change, so that it may have taken effect: ask for the state before doing it again.
    /// </summary>
    public bool IsOutcomeUnknown { get; init; }

    /// <summary>What the peer said in its Abort (RFC 8323 section 5.6); null when it said nothing.</summary>
    public string? Diagnostic { get; init; }

    /// <summary>
    /// How long the peer asked not to be connected to again (Hold-Off, RFC 8323 section 5.5), counted from when this was thrown; null when
    /// it did not.
    /// </summary>
    public TimeSpan? RetryAfter { get; init; }

    /// <summary>
    /// Whether the message was never given to the connection, so that it may be sent on another one whatever it asks for.
    /// </summary>
    internal bool IsUnsent { get; init; }
}

/// <summary>
/// Reading <see cref="CoapRequest.BodyReader"/> cannot go on: the peer began the body anew, sent too much, was silent for
/// EXCHANGE_LIFETIME, or the endpoint stopped. A handler may let it pass; the peer has its answer already.
/// </summary>
public sealed class CoapIncompleteBodyException : CoapException
{
    internal CoapIncompleteBodyException(string message)
        : base(message)
    {
    }
}

/// <summary>
/// The server wants the body of a request again from its beginning, as it lost what came or wants smaller blocks, and the stream that it
/// was sent from cannot be read again. Send a stream that can seek, a file, or the request anew.
/// </summary>
public sealed class CoapBodyNotRepeatableException : CoapException
{
    internal CoapBodyNotRepeatableException(CoapCode answer, string message)
        : base(message) =>
        Answer = answer;

    /// <summary>What the server answered: 4.08 where it lost what came, 4.13 where it wants smaller blocks.</summary>
    public CoapCode Answer { get; }
}

/// <summary>The host name of a URI has no address, or the resolver did not find one. Nothing was sent. A resolver that only takes too long
/// is a <see cref="CoapTimeoutException"/>.</summary>
public sealed class CoapNameResolutionException : CoapException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="hostName">The name.</param>
    /// <param name="error">What the resolver said.</param>
    /// <param name="innerException">What caused it.</param>
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
    /// What the resolver said: <see cref="SocketError.HostNotFound"/> for a name that does not exist, <see cref="SocketError.NoData"/> for
    /// one without an address, <see cref="SocketError.TryAgain"/> when it did not answer, so that asking again may help.
    /// </summary>
    public SocketError Error { get; }

    private static string Advice(SocketError error) => error switch
    {
        SocketError.TryAgain => "The resolver did not answer: check this machine's network, and try again.",
        SocketError.NoData => "The name has no address: check it, or give an address.",
        _ => "Check the name for a typing error, or give an address.",
    };
}

/// <summary>
/// A peer answered with a message that must be rejected, such as a response with an unrecognized critical option (RFC 7252 section 5.4.1).
/// </summary>
public sealed class CoapProtocolException : CoapException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="message">What the peer sent, and what it should have sent.</param>
    public CoapProtocolException(string message)
        : base(message)
    {
    }
}

/// <summary>
/// The peer rejected the request by a Reset message (RFC 7252 section 4.2): it lacks the context to process it, or does not understand it.
/// </summary>
public sealed class CoapResetException : CoapException
{
    internal CoapResetException(string target)
        : base($"{target} rejected the request with a Reset. It does not understand the message, or serves no CoAP requests there.")
    {
    }
}

/// <summary>A peer answered with an error response, and <see cref="CoapResponse.EnsureSuccess"/> was asked to throw.</summary>
public sealed class CoapResponseException : CoapException
{
    internal CoapResponseException(CoapResponse response)
        : base($"The peer answered {response.Code}{Reason(response)}{Limit(response)}")
    {
        Response = response;
    }

    /// <summary>The response, with its diagnostic payload or problem details.</summary>
    public CoapResponse Response { get; }

    private static string Reason(CoapResponse response) =>
        CoapForeignText.LineOf(Describe(response)) is { Length: > 0 } text ? $": {text}" : ".";

    // RFC 7252 section 5.9.2.9: with 4.13 a server may say how large a body it takes.
    private static string? Limit(CoapResponse response) =>
        response.Code == CoapCode.RequestEntityTooLarge && response.Options.Size1 is { } size
            ? $" It takes a body of {size} bytes at most (Size1)."
            : null;

    // A diagnostic payload has no Content-Format (RFC 7252 section 5.5.2).
    private static string? Describe(CoapResponse response) =>
        response.ContentFormat is null ? response.GetText()
        : response.ContentFormat == CoapContentFormat.ConciseProblemDetails ? ProblemLine.Of(response.Payload.Span)
        : null;
}

/// <summary>
/// A request was not sent, because the server asked for patience and the time is not over (RFC 8516 section 4). <see cref="RetryAfter"/>
/// says how long it still is.
/// </summary>
public sealed class CoapRetryLaterException : CoapException
{
    internal CoapRetryLaterException(string target, TimeSpan retryAfter)
        : base($"{target} answered 4.29 Too Many Requests; a request to the same resource may be sent "
            + $"in {Math.Ceiling(retryAfter.TotalSeconds)} s. Wait for RetryAfter, or set Patience to Wait.") =>
        RetryAfter = retryAfter;

    /// <summary>How long to wait before the request is sent again.</summary>
    public TimeSpan RetryAfter { get; }
}

/// <summary>
/// The operating system refused to send the message, for a reason that copies of it would meet as well. The message says which and what to
/// do. Nothing was sent.
/// </summary>
public sealed class CoapSendException : CoapException
{
    internal CoapSendException(string target, SocketError error)
        : base($"The message to {target} cannot be sent: {new SocketException((int)error).Message}. {Advice(error)}") =>
        SocketError = error;

    /// <summary>What the operating system said.</summary>
    public SocketError SocketError { get; }

    /// <summary>
    /// Whether an error says that sending again is no use. A host or network that cannot be reached, a full buffer and the like pass:
    /// copies are sent as usual (RFC 7252 section 4.2).
    /// </summary>
    internal static bool IsLasting(SocketError error) =>
        error is SocketError.AddressFamilyNotSupported or SocketError.ProtocolFamilyNotSupported
            or SocketError.MessageSize or SocketError.AccessDenied or SocketError.InvalidArgument;

    private static string Advice(SocketError error) => error switch
    {
        SocketError.AddressFamilyNotSupported or SocketError.ProtocolFamilyNotSupported =>
            "The endpoint has no socket of that IP version: listen on an address of it as well, or on coap://[::] for both, or give the "
                + "peer's address of the other version.",
        SocketError.MessageSize => "It is larger than a datagram to that address may be: send less, or lower MaxMessageSize for this peer.",
        SocketError.AccessDenied =>
            "The system forbids it: a firewall rule, a missing permission of the process, or a broadcast address, which CoAP has no use "
                + "for. Use a group instead.",
        _ => "The address cannot be sent to from the address or interface that was chosen: check both, and the scope of an IPv6 address "
            + "such as fe80::1%eth0.",
    };
}

/// <summary>
/// No response came in time. <see cref="Awaited"/> says what the request waited for, <see cref="EndedBy"/> and <see cref="Limit"/> which
/// time was over, and <see cref="IsOutcomeUnknown"/> whether the
/// request may have taken effect. A request that its caller cancels ends with an <see cref="OperationCanceledException"/> instead.
/// </summary>
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

    /// <summary>Which time was over.</summary>
    public CoapTimeLimit EndedBy => Facts.EndedBy;

    /// <summary>How long that time is: for <see cref="CoapTimeLimit.RequestTimeout"/> the whole <see cref="CoapRequest.Timeout"/>, of which
    /// earlier steps may have taken their part.</summary>
    public TimeSpan Limit => Facts.Limit;

    /// <summary>How far the connection or session came that was being opened; null where <see cref="Awaited"/> is none of its
    /// steps.</summary>
    public CoapConnectProgress? ConnectProgress => Facts.Progress;

    /// <summary>How far the request came: whether it left, and whether anything shows that it arrived.</summary>
    public CoapTimeoutReason Reason => Facts.Reason;

    /// <summary>Whether the request asks for a change and may have reached the server: ask for the state before doing it again.</summary>
    public bool IsOutcomeUnknown => Facts.MayHaveActed(Method);

    internal TimeoutFacts Facts { get; }

    private CoapCode Method { get; }

    private string Target { get; }

    /// <summary>The same, by another time.</summary>
    internal CoapTimeoutException By(CoapTimeLimit limit) => new(Facts with { EndedBy = limit }, Method, Target);

    /// <summary>The same, of a message that is a part of a larger transfer.</summary>
    /// <param name="limit">The time of the whole request; null when it had none.</param>
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
/// A request was refused locally, before anything of it was sent, because it does not fit the messages, or its token not the tokens, that
/// the peer takes.
/// </summary>
public sealed class CoapTooLargeException : CoapException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="size">What was to be sent, in bytes.</param>
    /// <param name="maxSize">The most that the peer takes, in bytes.</param>
    /// <param name="message">What happened and what to do.</param>
    public CoapTooLargeException(long? size, long maxSize, string message)
        : base(message)
    {
        Size = size;
        MaxSize = maxSize;
    }

    /// <summary>
    /// The size in bytes of what was to be sent: message, body or token; null when it is not known, as of a body that comes from a stream.
    /// </summary>
    public long? Size { get; }

    /// <summary>The most that the peer takes, in bytes.</summary>
    public long MaxSize { get; }
}

/// <summary>
/// The peer's host said that nobody listens at its port: an ICMP message that quotes our own datagram (RFC 7252 section 4.2).
/// </summary>
public sealed class CoapUnreachableException : CoapException
{
    internal CoapUnreachableException(string target)
        : base($"Nobody listens at {target}: its host reported the port unreachable. Check address and port, and whether the server runs.")
    {
    }

    internal CoapUnreachableException(string target, Exception innerException)
        : base($"{target} went away in the middle of a transfer: its host reported the port unreachable. A part of the body was "
            + "transferred; begin again when the server runs.", innerException) =>
        HasBegun = true;

    /// <summary>Whether the peer answered a part of the request before, so that another address is no substitute.</summary>
    internal bool HasBegun { get; }
}
