using CoAP.NET.Blockwise.Client;
using CoAP.NET.Errors;

namespace CoAP.NET.Exchanges;

/// <summary>
/// A request on its way through the steps of a <see cref="OutgoingRequestRun"/>. One object for each message: a step that sends another one
/// creates it with <c>with</c>, which does not copy the notes of steps.
/// </summary>
internal sealed record OutgoingRequest
{
    // In units of 100 ns; a nullable time would take twice the memory.
    private const long NoTimeout = long.MinValue;

    private readonly long _timeout;

    // Rarely used fields.
    private OutgoingRareFields? _more;

    public OutgoingRequest()
    {
    }

    private OutgoingRequest(OutgoingRequest original)
    {
        Request = original.Request;
        Message = original.Message;
        Channel = original.Channel;
        Target = original.Target;
        IsOfTarget = original.IsOfTarget;
        _timeout = original._timeout;
        StartedAt = original.StartedAt;
        Route = original.Route;
        Cancellation = original.Cancellation;
        _more = original._more?.Copy();
    }

    /// <summary>The request of the user. Never changed.</summary>
    public required CoapRequest Request { get; init; }

    /// <summary>
    /// The message, with the options of its target. It belongs to this request alone: sending sets type, Message ID and token.
    /// </summary>
    public required CoapMessage Message { get; init; }

    public required CoapChannel Channel { get; init; }

    /// <summary>The target, with path and query; null if the user set the options without a URI.</summary>
    public required CoapUri? Target { get; init; }

    /// <summary>
    /// Whether <see cref="Target"/> alone identifies the resource: the request goes to its host, and the user set no options that name a
    /// resource.
    /// </summary>
    public bool IsOfTarget { get; init; }

    /// <summary>
    /// The timeout of the whole request, with all its messages; null if the transmission parameters determine it for each message, or
    /// infinite.
    /// </summary>
    public required TimeSpan? Timeout
    {
        get => _timeout == NoTimeout ? null : TimeSpan.FromTicks(_timeout);
        init => _timeout = value?.Ticks ?? NoTimeout;
    }

    /// <summary>When the whole request began, in units of 100 ns.</summary>
    public required long StartedAt { get; init; }

    /// <summary>The route to the peer over a connection; null on datagrams.</summary>
    public OutgoingRequestRoute? Route { get; init; }

    /// <summary>Stops the request; no further messages are sent.</summary>
    public CancellationToken Cancellation { get; init; }

    /// <summary>
    /// The first block of the response if it arrived in another way, such as a notification: only the rest is fetched, by requests without
    /// Observe. Null: the request is sent.
    /// </summary>
    public CoapResponse? FirstBlock
    {
        get => _more?.FirstBlock;
        init
        {
            if (value is not null || _more is not null)
            {
                RareFields.FirstBlock = value;
            }
        }
    }

    /// <summary>Measures the request, with all its messages; null if nothing does.</summary>
    public ClientRequestMeter? Meter
    {
        get => _more?.Meter;
        set => RareFields.Meter = value;
    }

    /// <summary>The length of the token, in bytes; 0 if the parameters of the peer determine it.</summary>
    public int TokenLength
    {
        get => _more?.TokenLength ?? 0;
        init => RareFields.TokenLength = value;
    }

    /// <summary>Whether the message has its token already: that of an earlier message of the same transfer.</summary>
    public bool KeepsToken
    {
        get => _more is { KeepsToken: true };
        init => RareFields.KeepsToken = value;
    }

    /// <summary>The request from which a step made this one; null for one from the caller.</summary>
    public OutgoingRequest? MadeOf => _more?.MadeOf;

    /// <summary>The place of the step that made this one; -1 for one from the caller.</summary>
    public int MadeBy => _more?.MadeBy ?? -1;

    /// <summary>The note of a cache; null for none.</summary>
    public StepState? Note { get; set; }

    /// <summary>The resource that <see cref="BlockwiseStep"/> noted for an upload without a tag; null for none.</summary>
    public int? UntaggedResource
    {
        get => _more?.UntaggedResource;
        set => RareFields.UntaggedResource = value;
    }

    private OutgoingRareFields RareFields => _more ??= new OutgoingRareFields();

    /// <summary>Returns how many requests the step has sent for <paramref name="given"/> before this one; 0 for the first.</summary>
    public int AttemptOf(OutgoingRequest given) => ReferenceEquals(this, given) ? 0 : _more?.Attempt ?? 0;

    /// <summary>Returns the rest of <see cref="Timeout"/>; not below zero.</summary>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public TimeSpan? TimeLeft(long now) => Timeout is { } whole && whole != System.Threading.Timeout.InfiniteTimeSpan
        ? TimeSpan.FromTicks(Math.Max(0, whole.Ticks - (now - StartedAt)))
        : Timeout;

    /// <summary>Returns the rest of <see cref="Timeout"/>, and the whole.</summary>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public ClientRequestTimeLimit TimeAt(long now) => Timeout is null ? default : new ClientRequestTimeLimit(TimeLeft(now), Timeout);

    /// <summary>Returns a copy of the message, with its own options, to change and send.</summary>
    public CoapMessage CopyMessage()
    {
        CoapMessage copy = new(Message.Code) { Type = Message.Type, Payload = Message.Payload };
        if (Message.HasOptions)
        {
            copy.Options.AddAll(Message.Options);
        }

        return copy;
    }

    /// <summary>Records which step made this request from which one. Called once, by <see cref="OutgoingRequestRun"/>.</summary>
    /// <param name="madeOf">The request that the step received.</param>
    /// <param name="step">The place of the step.</param>
    /// <param name="attempt">How often the step had sent it before.</param>
    /// <returns>This request.</returns>
    internal OutgoingRequest Place(OutgoingRequest madeOf, int step, int attempt)
    {
        OutgoingRareFields more = RareFields;
        (more.MadeOf, more.MadeBy, more.Attempt) = (madeOf, step, attempt);
        return this;
    }

    private sealed class OutgoingRareFields
    {
        public CoapResponse? FirstBlock { get; set; }

        public ClientRequestMeter? Meter { get; set; }

        public int TokenLength { get; set; }

        public bool KeepsToken { get; set; }

        public OutgoingRequest? MadeOf { get; set; }

        public int MadeBy { get; set; } = -1;

        public int Attempt { get; set; }

        public int? UntaggedResource { get; set; }

        public OutgoingRareFields? Copy() => FirstBlock is null && Meter is null && TokenLength == 0
            ? null
            : new OutgoingRareFields { FirstBlock = FirstBlock, Meter = Meter, TokenLength = TokenLength };
    }
}
