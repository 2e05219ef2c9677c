namespace CoAP.NET.Requests;

/// <summary>A request on its way through the steps of a <see cref="RequestRun"/>. One object for each message: a step that sends another
/// one makes it by <c>with</c>. What steps noted of the request is not copied.</summary>
internal sealed record OutgoingRequest
{
    // In units of 100 ns; a nullable time would take as much again.
    private const long NoTimeout = long.MinValue;

    private readonly long _timeout;

    // What few requests have.
    private OutgoingMore? _more;

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

    /// <summary>What the user gave. Never changed.</summary>
    public required CoapRequest Request { get; init; }

    /// <summary>The message, with the options of its target. Belongs to this request alone: type, Message ID and token are filled in when
    /// it is sent.</summary>
    public required CoapMessage Message { get; init; }

    /// <summary>The peer.</summary>
    public required CoapChannel Channel { get; init; }

    /// <summary>Where the request goes, with path and query; null when the user gave the options without a URI.</summary>
    public required CoapUri? Target { get; init; }

    /// <summary>Whether <see cref="Target"/> alone says which resource is meant: the request goes to its host, and the user gave no options
    /// that name a resource.</summary>
    public bool IsOfTarget { get; init; }

    /// <summary>How long the whole request may take, with all messages that it needs; null when the transmission parameters decide for
    /// each, or infinite.</summary>
    public required TimeSpan? Timeout
    {
        get => _timeout == NoTimeout ? null : TimeSpan.FromTicks(_timeout);
        init => _timeout = value?.Ticks ?? NoTimeout;
    }

    /// <summary>When the whole request began, in units of 100 ns.</summary>
    public required long StartedAt { get; init; }

    /// <summary>How the request gets to its peer where that takes a connection; null on datagrams.</summary>
    public RequestRoute? Route { get; init; }

    /// <summary>Stops the request; no further messages are sent.</summary>
    public CancellationToken Cancellation { get; init; }

    /// <summary>The first block of the response when it came by another way, such as a notification: only the rest is fetched, by
    /// requests without Observe. Null: the request is sent.</summary>
    public CoapResponse? FirstBlock
    {
        get => _more?.FirstBlock;
        init
        {
            if (value is not null || _more is not null)
            {
                More.FirstBlock = value;
            }
        }
    }

    /// <summary>Who measures the request, with all messages that it needs; null when nobody does.</summary>
    public ClientWatch? Watch
    {
        get => _more?.Watch;
        set => More.Watch = value;
    }

    /// <summary>How long the token shall be, in bytes; 0 where the parameters of the peer decide.</summary>
    public int TokenLength
    {
        get => _more?.TokenLength ?? 0;
        init => More.TokenLength = value;
    }

    /// <summary>The request that a step made this one of; null for one that came from the caller.</summary>
    public OutgoingRequest? MadeOf => _more?.MadeOf;

    /// <summary>The place of the step that made this one; -1 for one that came from the caller.</summary>
    public int MadeBy => _more?.MadeBy ?? -1;

    /// <summary>What <see cref="CacheStep"/> noted; null for nothing.</summary>
    public CacheNote? CacheNote { get; set; }

    /// <summary>The resource that <see cref="BlockwiseStep"/> noted as having an upload without a tag; null for none.</summary>
    public int? UntaggedResource
    {
        get => _more?.UntaggedResource;
        set => More.UntaggedResource = value;
    }

    private OutgoingMore More => _more ??= new OutgoingMore();

    /// <summary>How often a step had sent a request before it sent this one: 0 the first time.</summary>
    /// <param name="given">The request that the step was given.</param>
    public int AttemptOf(OutgoingRequest given) => ReferenceEquals(this, given) ? 0 : _more?.Attempt ?? 0;

    /// <summary>What is left of <see cref="Timeout"/>; not below zero.</summary>
    /// <param name="now">Now, in units of 100 ns.</param>
    public TimeSpan? TimeLeft(long now) => Timeout is { } whole && whole != System.Threading.Timeout.InfiniteTimeSpan
        ? TimeSpan.FromTicks(Math.Max(0, whole.Ticks - (now - StartedAt)))
        : Timeout;

    /// <summary>What is left of <see cref="Timeout"/>, and all of it.</summary>
    /// <param name="now">Now, in units of 100 ns.</param>
    public RequestTime TimeAt(long now) => Timeout is null ? default : new RequestTime(TimeLeft(now), Timeout);

    /// <summary>A copy of the message, with options of its own, to be changed and sent.</summary>
    public CoapMessage CopyMessage()
    {
        CoapMessage copy = new(Message.Code) { Type = Message.Type, Payload = Message.Payload };
        if (Message.HasOptions)
        {
            copy.Options.AddAll(Message.Options);
        }

        return copy;
    }

    /// <summary>Says which step made this request of which. For <see cref="RequestRun"/>, once.</summary>
    /// <param name="madeOf">What the step was given.</param>
    /// <param name="step">The place of the step.</param>
    /// <param name="attempt">How often the step had sent it before.</param>
    /// <returns>This.</returns>
    internal OutgoingRequest Place(OutgoingRequest madeOf, int step, int attempt)
    {
        OutgoingMore more = More;
        (more.MadeOf, more.MadeBy, more.Attempt) = (madeOf, step, attempt);
        return this;
    }

    private sealed class OutgoingMore
    {
        public CoapResponse? FirstBlock { get; set; }

        public ClientWatch? Watch { get; set; }

        public int TokenLength { get; set; }

        public OutgoingRequest? MadeOf { get; set; }

        public int MadeBy { get; set; } = -1;

        public int Attempt { get; set; }

        public int? UntaggedResource { get; set; }

        public OutgoingMore? Copy() => FirstBlock is null && Watch is null && TokenLength == 0
            ? null
            : new OutgoingMore { FirstBlock = FirstBlock, Watch = Watch, TokenLength = TokenLength };
    }
}
