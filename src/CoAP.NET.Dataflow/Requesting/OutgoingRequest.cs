using CoAP.NET.Channels;

namespace CoAP.NET.Requesting;

/// <summary>A request on its way through the steps of <see cref="RequestSteps"/>. One object for each message: a step that sends several makes them with <see cref="With"/>.</summary>
internal sealed class OutgoingRequest : IResponseReview
{
    // What few requests have.
    private OutgoingMore? _more;

    /// <summary>What the user gave. Never changed.</summary>
    public required CoapRequest Request { get; init; }

    /// <summary>The message, with the options of its target. Belongs to this request alone: type, Message ID and token are filled in when it is sent.</summary>
    public required CoapMessage Message { get; init; }

    /// <summary>The peer.</summary>
    public required CoapChannel Channel { get; init; }

    /// <summary>Where the request goes, with path and query; null when the user gave the options without a URI.</summary>
    public required CoapUri? Target { get; init; }

    /// <summary>How long the whole request may take, with all messages that it needs; null when the transmission parameters decide for each, or infinite.</summary>
    public required TimeSpan? Timeout { get; init; }

    /// <summary>When the whole request began, in units of 100 ns.</summary>
    public required long StartedAt { get; init; }

    /// <summary>How the request gets to its peer where that takes a connection; null on datagrams.</summary>
    public RequestRoute? Route { get; init; }

    /// <summary>The first block of the response when it came by another way, such as a notification: only the rest is fetched, by requests without Observe. Null: the request is sent.</summary>
    public CoapResponse? FirstBlock
    {
        get => _more?.FirstBlock;
        private init => More.FirstBlock = value;
    }

    /// <summary>Who measures the request, with all messages that it needs; null when nobody does.</summary>
    public ClientWatch? Watch
    {
        get => _more?.Watch;
        init
        {
            if (value is not null)
            {
                More.Watch = value;
            }
        }
    }

    /// <summary>The steps that look at the response when <see cref="ExchangeStep"/> has it, instead of waiting for it; null when they wait.</summary>
    public PlainStep? Plain { get; set; }

    bool IResponseReview.Concerns(CoapResponse response) => Plain!.IsOfConcern(this, response);

    Task<CoapResponse> IResponseReview.CompleteAsync(CoapResponse response, CancellationToken cancellationToken)
    {
        // From here on the steps wait for what they send.
        PlainStep plain = Plain!;
        Plain = null;
        return plain.ReviewAsync(this, response, cancellationToken);
    }

    /// <summary>What is left of <see cref="Timeout"/>; not below zero.</summary>
    /// <param name="now">Now, in units of 100 ns.</param>
    public TimeSpan? TimeLeft(long now) => Timeout is { } whole && whole != System.Threading.Timeout.InfiniteTimeSpan
        ? TimeSpan.FromTicks(Math.Max(0, whole.Ticks - (now - StartedAt)))
        : Timeout;

    /// <summary>What is left of <see cref="Timeout"/>, and all of it.</summary>
    /// <param name="now">Now, in units of 100 ns.</param>
    public RequestTime TimeAt(long now) => Timeout is null ? default : new RequestTime(TimeLeft(now), Timeout);

    /// <summary>The same request with another message.</summary>
    /// <param name="message">The message.</param>
    public OutgoingRequest With(CoapMessage message) => new()
    {
        Request = Request,
        Message = message,
        Channel = Channel,
        Target = Target,
        Timeout = Timeout,
        StartedAt = StartedAt,
        Route = Route,
        Watch = Watch,
    };

    /// <summary>The same request, to another channel of its peer.</summary>
    /// <param name="channel">The channel.</param>
    /// <param name="message">The message, for that channel alone.</param>
    public OutgoingRequest On(CoapChannel channel, CoapMessage message) => new()
    {
        Request = Request,
        Message = message,
        Channel = channel,
        Target = Target,
        Timeout = Timeout,
        StartedAt = StartedAt,
        Route = Route,
        Watch = Watch,
    };

    /// <summary>The same request, of whose response the first block is there.</summary>
    /// <param name="first">The response with the first block.</param>
    public OutgoingRequest ContinueFrom(CoapResponse first) => new()
    {
        Request = Request,
        Message = Message,
        Channel = Channel,
        Target = Target,
        Timeout = Timeout,
        StartedAt = StartedAt,
        Route = Route,
        Watch = Watch,
        FirstBlock = first,
    };

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

    private OutgoingMore More => _more ??= new OutgoingMore();

    private sealed class OutgoingMore
    {
        public CoapResponse? FirstBlock { get; set; }

        public ClientWatch? Watch { get; set; }
    }
}
