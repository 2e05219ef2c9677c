using CoAP.NET.Transports;

namespace CoAP.NET;

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
