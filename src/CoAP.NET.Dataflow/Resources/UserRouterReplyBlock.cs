using CoAP.NET.Requests;

namespace CoAP.NET.Resources;

/// <summary>
/// Sends the responses of a user's router: one for each request. Requests without a response get 5.03 when the endpoint stops.
/// </summary>
internal sealed class UserRouterReplyBlock : InlineBlock<CoapServerReply, CoapServerReply>, IResponseSender
{
    private readonly CoapEnvironment _environment;
    private readonly RunningRequestCounter _served;
    private readonly InlineTarget<CoapServerReply> _exchangesOut;
    private readonly UnansweredServerRequests _unanswered;

    internal UserRouterReplyBlock(CoapEnvironment environment, RunningRequestCounter served, InlineTarget<CoapServerReply> exchangesOut)
        : base(environment.Counters, environment.Logger)
    {
        _environment = environment;
        _served = served;
        _exchangesOut = exchangesOut;
        _unanswered = new UnansweredServerRequests(environment, served);
        Reports = new HandlerDiagnostics(environment);
        Busy = ResourceInboundBlock.MakeBusy(environment);
    }

    /// <summary>5.03 with Max-Age.</summary>
    internal CoapResult Busy { get; }

    internal HandlerDiagnostics Reports { get; }

    internal int Unanswered => _unanswered.Count;

    internal override void Process(CoapServerReply item)
    {
        if (item.Exchange is null || item.Result is null)
        {
            throw new InvalidOperationException(
                "The router returned a reply without exchange or result. Create a reply from the received exchange and its result.");
        }

        if (item.Result is StreamOrFileResult seekable)
        {
            _ = ReadAsync(item.Exchange, seekable);
        }
        else
        {
            Finish(item.Exchange, item.Result);
        }
    }

    // Streams and files are read block by block, as after the routes of a server.
    private async Task ReadAsync(CoapExchange exchange, StreamOrFileResult seekable)
    {
        CoapResult result;
        try
        {
            result = await SeekableReader.ReadAsync(exchange, seekable, RouteTemplate.Root.Text, _environment).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // streams are users' code and may throw anything; the peer gets 5.00
        catch (Exception exception)
#pragma warning restore CA1031
        {
            result = Reports.Fail(exchange, RouteTemplate.Root.Text, exception);
        }

        Finish(exchange, result);
    }

    /// <summary>Starts to measure a request, if there is a listener.</summary>
    internal void Measure(CoapExchange exchange)
    {
        if (_environment.Telemetry.IsServing)
        {
            Reports.Measure(exchange);
        }
    }

    /// <summary>Records that the router has a request, which it may not have answered yet.</summary>
    internal void NoteUnlessAnswered(CoapExchange exchange)
    {
        if (!exchange.IsReplied && !_unanswered.TryAdd(exchange))
        {
            RefuseStopping(exchange);
            _served.SettleIfAnswered();
        }
    }

    /// <summary>Answers all pending requests 5.03 when the endpoint stops. Later responses are dropped.</summary>
    internal void RefuseUnanswered()
    {
        foreach (CoapExchange exchange in _unanswered.Close())
        {
            RefuseStopping(exchange);
        }
    }

    /// <summary>Answers a request and ends its count as a running request, both only once.</summary>
    internal void Finish(CoapExchange exchange, CoapResult result)
    {
        bool isFirst = TryReply(exchange, result, null);

        // A request that this block answered stays in the list until the router has answered it too.
        bool wasKnown = exchange.IsUnanswered && _unanswered.Remove(exchange);
        if (isFirst || wasKnown)
        {
            _served.Exit(exchange.Channel.Shard.Index);
        }
    }

    /// <inheritdoc/>
    public void Reply(CoapExchange exchange, CoapResult result, Exception? error = null) => TryReply(exchange, result, error);

    private protected override void OnDeclined(CoapServerReply item) => ReplyPast(item, Busy);

    private protected override void OnLost(CoapServerReply item) => ReplyPast(item, ResourceInboundBlock.InternalServerError);

    private bool TryReply(CoapExchange exchange, CoapResult result, Exception? error)
    {
        if (!exchange.TryClaimReply())
        {
            Counters.Add(CoapCounter.LateResponses);
            exchange.Channel.NoteDrop(CoapCounter.LateResponses);
            (result as PartialBodyResult)?.CloseUnlessStored();
            return false;
        }

        if (exchange.Request.Meter is ServerRequestMeter meter)
        {
            Reports.End(meter, result);
        }

        Emit(new CoapServerReply(exchange, result));
        return true;
    }

    private void RefuseStopping(CoapExchange exchange)
    {
        if (!exchange.IsReplied)
        {
            Counters.Add(CoapCounter.Busy);
            Reply(exchange, Busy);
        }
    }

    private void ReplyPast(in CoapServerReply item, CoapResult result)
    {
        (item.Result as PartialBodyResult)?.CloseUnlessStored();
        _exchangesOut.Run(new CoapServerReply(item.Exchange, result));
    }
}
