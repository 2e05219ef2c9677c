using System.Net.Sockets;
using CoAP.NET.Errors;

namespace CoAP.NET;

// The exceptions of requests in one file: each is a few lines, and they are read together.

/// <summary>The peer could not be reached, or its connection ended before the response arrived.</summary>
/// <remarks>
/// <see cref="CoapException.Error"/> says why: the host name has no address, nothing listens at the port, the operating system refused to
/// send, or what happened to the connection (RFC 8323).
/// </remarks>
public sealed class CoapConnectionException : CoapException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="error">The reason.</param>
    /// <param name="message">What happened and what to do.</param>
    /// <param name="innerException">The cause.</param>
    public CoapConnectionException(CoapError error, string message, Exception? innerException = null)
        : base(error, message, innerException)
    {
    }

    /// <summary>The diagnostic text of the peer's Abort (RFC 8323 section 5.6); null if it sent none.</summary>
    public string? Diagnostic { get; init; }

    /// <summary>
    /// The error of the operating system or the resolver, such as <see cref="SocketError.HostNotFound"/> for a name that does not exist and
    /// <see cref="SocketError.TryAgain"/> for a resolver that did not answer; null if there is none.
    /// </summary>
    public SocketError? SocketError { get; init; }

    /// <summary>Whether a connection could not be opened, or ended; false if the peer was not reached by datagrams.</summary>
    internal bool IsOfConnection => Error is not (CoapError.NameResolution or CoapError.Unreachable or CoapError.SendFailed);

    /// <summary>Whether the message never reached the connection, so another connection may send it, whatever its method.</summary>
    internal bool IsUnsent { get; init; }

    /// <summary>Whether the peer already answered a part of the request, so another address cannot replace it.</summary>
    internal bool HasBegun { get; init; }
}

/// <summary>The peer rejected a message, or sent one that must be rejected.</summary>
/// <remarks><see cref="CoapException.Error"/> is <see cref="CoapError.Reset"/>, <see cref="CoapError.InvalidResponse"/> or <see
/// cref="CoapError.RepresentationChanged"/>.</remarks>
public sealed class CoapProtocolException : CoapException
{
    /// <summary>Creates an exception for an invalid response.</summary>
    /// <param name="message">What the peer sent, and what it should have sent.</param>
    public CoapProtocolException(string message)
        : base(CoapError.InvalidResponse, message)
    {
    }

    /// <summary>Creates an exception.</summary>
    /// <param name="error">The reason.</param>
    /// <param name="message">What the peer sent, and what it should have sent.</param>
    public CoapProtocolException(CoapError error, string message)
        : base(error, message)
    {
    }
}

/// <summary>No response arrived in time.</summary>
/// <remarks>
/// The message says what the request waited for, which limit ended it, the likely cause and a remedy. <see cref="IsOutcomeUnknown"/> says
/// whether the request may have taken effect. A request that its caller cancels ends with an <see cref="OperationCanceledException"/>
/// instead.
/// </remarks>
/// <example>
/// <code>
/// try
/// {
///     await client.PostAsync("coap://[::1]/door", CoapContent.Text("open"), cancellationToken);
/// }
/// catch (CoapTimeoutException exception) when (exception.IsOutcomeUnknown)
/// {
///     Console.Error.WriteLine("The door may be open.");
/// }
/// </code>
/// </example>
public sealed class CoapTimeoutException : CoapException
{
    internal CoapTimeoutException(in TimeoutFacts facts, CoapCode method, string target)
        : base(CoapError.Timeout, facts.Describe(method, target))
    {
        Facts = facts;
        Method = method;
        Target = target;
    }

    internal CoapTimeoutStep Awaited => Facts.Awaited;

    internal CoapTimeLimitKind EndedBy => Facts.EndedBy;

    /// <summary>The length of the time limit that expired.</summary>
    /// <remarks>For <see cref="CoapRequest.Timeout"/> the whole of it, which earlier steps may have used in part.</remarks>
    public TimeSpan Limit => Facts.Limit;

    /// <summary>
    /// The progress of the connection or session that was being opened; null if <see cref="Awaited"/> is not one of its steps.
    /// </summary>
    internal CoapConnectProgress? ConnectProgress => Facts.Progress;

    /// <summary>The progress of the request: whether it was sent, and whether there is evidence that it arrived.</summary>
    internal CoapTimeoutReason Reason => Facts.Reason;

    /// <summary>Whether the request changes state and may have reached the server: read the state before repeating it.</summary>
    public override bool IsOutcomeUnknown => Facts.MayHaveActed(Method);

    internal TimeoutFacts Facts { get; }

    private CoapCode Method { get; }

    private string Target { get; }

    /// <summary>Creates the same exception with another time limit.</summary>
    internal CoapTimeoutException By(CoapTimeLimitKind limit) => new(Facts with { EndedBy = limit }, Method, Target);

    /// <summary>Creates the same exception for a message that is part of a larger transfer.</summary>
    /// <param name="limit">The timeout of the whole request; null if it has none.</param>
    internal CoapTimeoutException InTransfer(TimeSpan? limit) => new(
        Facts with
        {
            Awaited = CoapTimeoutStep.NextBlock,
            HasBegun = true,
            Limit = EndedBy == CoapTimeLimitKind.RequestTimeout && limit is { } whole ? whole : Limit,
        },
        Method,
        Target);
}
