using CoAP.NET.Requests;

namespace CoAP.NET.Blockwise.Server;

/// <summary>
/// The bodies of requests of one shard that a server has not answered yet: which bytes of which body each block has (RFC 7959 sections 2.3
/// and 2.5), how much memory they take, and when they are discarded. A state machine: every method is called under Shard.Gate.
/// </summary>
internal sealed class RequestBodyStore : TransferStore
{
    private readonly CoapCounters _counters;
    private readonly int _busyMaxAge;
    private readonly RateLimitedLog _capped;

    public RequestBodyStore(CoapShard shard, BlockwiseBudget budget)
        : base(shard, budget)
    {
        _counters = shard.Environment.Counters;
        _busyMaxAge = shard.Environment.Limits.Requests.BusyMaxAge;
        _capped = new RateLimitedLog(shard.Environment.TimeProvider);
    }

    /// <summary>How large a body may be on a route: what is put together has to fit the share of a source as well.</summary>
    public long LargestOf(RequestBodyPolicy policy) =>
        policy.Mode == RequestBodyMode.Whole
            ? Math.Min(policy.MaxSize, Math.Max(0, Budget.PeerMax - AssembledBody.Allowance))
            : policy.MaxSize;

    /// <summary>Processes a valid block of a request body.</summary>
    /// <param name="exchange">The request; becomes the whole one when this was the last block of a body to be assembled.</param>
    /// <param name="block">Its Block1.</param>
    /// <param name="policy">The policy of the route.</param>
    /// <param name="isAdmitted">Whether the gates of the route have already admitted it.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public BlockVerdict Receive(CoapExchange exchange, BlockValue block, RequestBodyPolicy policy, bool isAdmitted, long now)
    {
        CoapMessage message = exchange.Request.Message;
        long max = LargestOf(policy);
        if (block.ByteOffset + message.Payload.Length > max || (block.Number == 0 && message.Options.Size1 > max))
        {
            if (TryGet(TransferKey.Of(exchange.Channel, message), out StoredTransfer? begun))
            {
                GiveUp(begun, "The body became larger than the route allows.");
            }

            return TooLarge(exchange, policy, max);
        }

        if (policy.Mode == RequestBodyMode.Blocks)
        {
            // Each block is carried out by itself, which the more flag of the response says (RFC 7959 section 2.3).
            exchange.Body = new ReceivedRequestBodyState { Block1 = new BlockValue(block.Number, more: false, block.SizeExponent) };
            return default;
        }

        TransferKey key = TransferKey.Of(exchange.Channel, message);
        TryGet(key, out StoredTransfer? body);
        if (block.Number == 0 && !IsCopyOfFirst(body, block, message))
        {
            if (body is not null)
            {
                GiveUp(body, "The peer started the body again.");
            }

            if (!block.More)
            {
                message.Options.Remove(OptionNumber.Block1);
                message.Options.Remove(OptionNumber.Size1);
                exchange.Body = new ReceivedRequestBodyState { Block1 = block };
                return default;
            }

            body = policy.Mode == RequestBodyMode.Streamed
                ? new StreamedRequestBody(this, key, exchange.Channel, message)
                : new AssembledBody(this, key, exchange.Channel, message, max,
                    isAdmitted ? new FirstBlockEchoAge(exchange.Request.EchoAge, now) : null);
            Add(body, now);
        }

        return (body as SequentialRequestBody)?.Receive(exchange, block, now)
            ?? Incomplete("The blocks before this one are not here. Begin with block 0.");
    }

    /// <summary>The last block of a body came: its request becomes the whole one.</summary>
    /// <param name="exchange">The request with the last block.</param>
    /// <param name="body">The body.</param>
    /// <param name="block1">The block that the response names; null for none.</param>
    /// <param name="admitted">The Echo that the gates of the route accepted; null if there are no gates.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public BlockVerdict Deliver(CoapExchange exchange, StoredTransfer body, BlockValue? block1, FirstBlockEchoAge? admitted, long now)
    {
        _counters.Add(CoapCounter.BodiesAssembled);
        exchange.Body = new ReceivedRequestBodyState { Block1 = block1, Transfer = body, IsAdmitted = admitted is not null };
        exchange.Request.EchoAge ??= admitted?.AgeAt(now);
        return default;
    }

    /// <summary>Whether a block is the first one of a body that would be put together.</summary>
    public bool Begins(CoapExchange exchange, BlockValue block)
    {
        CoapMessage message = exchange.Request.Message;
        return block is { Number: 0, More: true }
            && !(TryGet(TransferKey.Of(exchange.Channel, message), out StoredTransfer? body) && IsCopyOfFirst(body, block, message));
    }

    /// <summary>Whether a block belongs to something that is under way, which goes on while the endpoint stops.</summary>
    public bool Continues(CoapExchange exchange)
    {
        CoapMessage message = exchange.Request.Message;
        return message.Options.Block1 is not null
            ? TryGet(TransferKey.Of(exchange.Channel, message), out StoredTransfer? body) && body is StreamedRequestBody
            : message.Options.Block2 is { Number: > 0 };
    }

    /// <summary>Takes room for a body within the bounds.</summary>
    /// <returns>Null when there is room, otherwise the answer that refuses the block.</returns>
    public CoapResult? Charge(StoredTransfer body, long bytes, long now)
    {
        // The body of the same peer that was idle longest goes first, then bodies without progress.
        BudgetShortage shortage = bytes <= 0 ? BudgetShortage.None : ChargeByEvicting(body, bytes, bytes, replacesRunning: true, now);
        if (shortage == BudgetShortage.None)
        {
            return null;
        }

        _counters.Add(CoapCounter.BodiesRefused);
        body.Channel.NoteDrop(CoapCounter.BodiesRefused);

        // A client that proves that it receives at its address has its own share.
        bool isPooled = body.Part == TransferBudgetTier.Newcomer || shortage == BudgetShortage.Unverified;
        return isPooled && !body.Channel.IsConnection ? CoapResults.FreshnessRequired()
            : body.ShareCharge + bytes > Budget.PeerMax
                ? CoapResults.RequestEntityTooLarge(Math.Max(0, Budget.PeerMax - AssembledBody.Overhead))
            : CoapResults.ServiceUnavailable(TimeSpan.FromSeconds(_busyMaxAge));
    }

    /// <summary>Ends an incomplete body, and informs readers of the rest.</summary>
    public void GiveUp(StoredTransfer body, string reason)
    {
        Release(body);
        body.OnGivenUp(reason);
    }

    /// <summary>Gives up what a peer did not finish.</summary>
    public void GiveUpAllOf(CoapChannel channel, string reason) => AllOf(channel).ForEach(body => GiveUp(body, reason));

    public void GiveUpAll(string reason) => All().ForEach(body => GiveUp(body, reason));

    /// <summary>4.13: the body is larger than the route takes, or than there is ever room for.</summary>
    public BlockVerdict TooLarge(CoapExchange exchange, RequestBodyPolicy policy, long max)
    {
        _counters.Add(CoapCounter.BodiesTooLarge);
        exchange.Channel.NoteDrop(CoapCounter.BodiesTooLarge);
        if (max < policy.MaxSize && _capped.IsDue())
        {
            Shard.AfterRelease(new BodySizeCapReport(exchange.Request.Path, policy.MaxSize, max));
        }

        return BlockVerdict.Answer(CoapResults.RequestEntityTooLarge(max));
    }

    /// <summary>4.08: a block cannot be taken.</summary>
    public BlockVerdict Incomplete(string diagnostic)
    {
        _counters.Add(CoapCounter.BodiesIncomplete);
        return BlockVerdict.Answer(BlockResponses.Incomplete(diagnostic));
    }

    protected override void OnExpired(StoredTransfer transfer)
    {
        if (transfer.IsWhole)
        {
            // Only the memory is not counted for ever.
            Release(transfer);
            return;
        }

        if (transfer.Node is not null)
        {
            _counters.Add(CoapCounter.BodiesAbandoned);
            transfer.Channel.NoteDrop(CoapCounter.BodiesAbandoned);
        }

        GiveUp(transfer, "The peer sent no further block in time.");
    }

    protected override void Evict(StoredTransfer transfer)
    {
        _counters.Add(CoapCounter.BodiesEvicted);
        GiveUp(transfer, "There is no room for it any more.");
    }

    private static bool IsCopyOfFirst(StoredTransfer? body, BlockValue block, CoapMessage message) =>
        block.More && (body as SequentialRequestBody)?.IsCopyOfFirst(message) == true;

    private sealed class BodySizeCapReport(string path, long wanted, long max) : IDeferredWork
    {
        public void OnReleased(CoapShard shard) => BlockwiseLog.BodySizeCapped(shard.Environment.Logger, path, wanted, max);
    }
}
