namespace CoAP.NET.Resources;

/// <summary>
/// Limits the running requests and serves later blocks of streamed responses before a user's router, which replaces the routes in the
/// Resource stage. The responses of the router go to <see cref="UserRouterReplyBlock"/>.
/// </summary>
internal sealed class UserRouterAdmissionBlock : InlineBlock<CoapExchange, CoapExchange>
{
    private readonly long _maxBodySize;
    private readonly RunningRequestCounter _served;
    private readonly UserRouterReplyBlock _replies;
    private readonly SubsequentBlockResponder _subsequentBlocks;

    internal UserRouterAdmissionBlock(CoapEnvironment environment, RunningRequestCounter served, UserRouterReplyBlock replies)
        : base(environment.Counters, environment.Logger)
    {
        _maxBodySize = environment.Limits.Blockwise.MaxRequestBodySize;
        _served = served;
        _replies = replies;
        _subsequentBlocks = new SubsequentBlockResponder(environment, served, replies.Busy, replies.Reports, replies);
    }

    internal override void Process(CoapExchange item)
    {
        if (item.Body is { Later: { } later } && _subsequentBlocks.TryServe(item, later))
        {
            return;
        }

        _replies.Measure(item);
        CoapRequestContext request = item.Request;
        if (request.Payload.Length > _maxBodySize)
        {
            Counters.Add(CoapCounter.BodiesTooLarge);
            item.Channel.NoteDrop(CoapCounter.BodiesTooLarge);
            _replies.Reply(item, CoapResults.RequestEntityTooLarge(_maxBodySize));
        }
        else if (item.Body is { IsIncomplete: true })
        {
            _replies.Reply(item, ResourceInboundBlock.Incomplete);
        }
        else if (_served.Admit(item, ResourceInboundBlock.Continues(item), isOurs: false, _replies.Busy) is { } busy)
        {
            _replies.Reply(item, busy);
        }
        else
        {
            if (!request.Aborted.CanBeCanceled)
            {
                request.Aborted = _served.Aborted;
            }

            Offer(item);
            _replies.NoteUnlessAnswered(item);
        }
    }

    private protected override void OnFailed(CoapExchange item) => _replies.Reply(item, ResourceInboundBlock.InternalServerError);

    private protected override void OnDeclined(CoapExchange item)
    {
        Counters.Add(CoapCounter.Busy);
        _replies.Finish(item, _replies.Busy);
    }

    // The router threw. If it kept the request, its response is too late.
    private protected override void OnLost(CoapExchange item) => _replies.Finish(item, ResourceInboundBlock.InternalServerError);
}
