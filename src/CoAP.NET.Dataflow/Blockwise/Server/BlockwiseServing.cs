using CoAP.NET.Channels;
using CoAP.NET.Exchanges;
using CoAP.NET.Requests;
using CoAP.NET.Resources;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Blockwise.Server;

/// <summary>
/// Requests with Block1 and Block2, or Q-Block options, in the role of a server (RFC 7959 sections 2.3 to 2.8, RFC 9177): what becomes of
/// them before they go up to the Resource stage. Takes the lock of the shard, except where it is asked about peers.
/// </summary>
internal sealed class BlockwiseServing : IPeerEvictionGuard
{
    private const RequestOptionFlags BlockOptions = RequestOptionFlags.Block1 | RequestOptionFlags.Block2;

    private readonly CoapShard _shard;
    private readonly RouteTable _routes;
    private readonly QBlockServer? _qblock;
    private readonly ILogger _logger;

    public BlockwiseServing(CoapShard shard, BlockwiseBudgets budgets, RouteTable routes,
        Func<CoapShard, RequestBodyStore, BlockwiseAnswering, QBlockServer>? makeQBlock)
    {
        _shard = shard;
        _routes = routes;
        _logger = shard.Environment.Logger;
        Requests = new RequestBodyStore(shard, budgets.Requests);
        Responses = new ServedBlockwiseResponses(shard, budgets.Responses);
        Answering = new BlockwiseAnswering(shard, Requests, Responses, makeQBlock);
        _qblock = Answering.QBlock;
    }

    /// <summary>The bodies of requests that are not answered yet.</summary>
    public RequestBodyStore Requests { get; }

    /// <summary>The responses that peers fetch block by block.</summary>
    public ServedBlockwiseResponses Responses { get; }

    public BlockwiseAnswering Answering { get; }

    // Bodies pin nothing: a peer that must go takes its unfinished ones with it.
    bool IPeerEvictionGuard.CanForget(CoapChannel channel, long now) => true;

    bool IPeerEvictionGuard.IsQuiet(CoapChannel channel) => Requests.CountOf(channel) == 0;

    /// <summary>The peer was forgotten, and with it what it had not finished. Under the lock of the shard.</summary>
    public void Forget(CoapChannel channel)
    {
        Requests.GiveUpAllOf(
            channel, channel.IsConnection ? "The connection has ended." : "The peer was forgotten for lack of room.");
        Responses.Forget(channel);
    }

    /// <summary>Ends all bodies because the endpoint stops: handlers that read them are informed.</summary>
    public void Stop()
    {
        _shard.Enter();
        try
        {
            Requests.GiveUpAll("The endpoint was stopped.");
            Responses.Clear();
        }
        finally
        {
            _shard.ExitAndSend();
        }
    }

    /// <summary>Whether a request is the next step of what is under way, and so served while the endpoint stops.</summary>
    public bool Continues(CoapExchange exchange)
    {
        if ((exchange.Special & BlockOptions) == 0)
        {
            return false;
        }

        _shard.Enter();
        try
        {
            return Requests.Continues(exchange);
        }
        finally
        {
            _shard.ExitAndSend();
        }
    }

    /// <summary>
    /// Processes a request with Block options. The caller must hold no lock, because handlers that read a body continue within the call.
    /// </summary>
    public BlockVerdict Take(CoapExchange exchange) =>
        Logged(exchange, IsQBlock(exchange) && _qblock is not null ? TakeQBlock(exchange, _qblock) : TakeBlock(exchange));

    private static BlockVerdict Settled => new(BlockVerdictKind.Settle);

    private static bool IsQBlock(CoapExchange exchange) => (exchange.Special & RequestOptionFlags.QBlock) != 0;

    private BlockVerdict TakeBlock(CoapExchange exchange)
    {
        CoapMessage message = exchange.Request.Message;
        BlockValue? block1 = message.OptionsToRead!.Block1;
        BlockValue? block2 = message.OptionsToRead!.Block2;
        if (BlockResponses.Check(block1, block2, message.Payload.Length, PeerBlockFacts.TakesBert(exchange.Channel)) is { } wrong)
        {
            return BlockVerdict.Answer(wrong);
        }

        if (block2 is { } asked && !exchange.Channel.IsReliable)
        {
            exchange.Channel.AskedBlockSize = (byte)(asked.SizeExponent + 1);
        }

        return block1 is { } block ? TakeUpload(exchange, block)
            : block2 is not { Number: > 0 } later ? default
            : TakeLater(exchange, later);
    }

    private BlockVerdict TakeLater(CoapExchange exchange, BlockValue asked)
    {
        if (exchange.Request.IsMulticast)
        {
            // Only the first block may be asked of a group (RFC 7959 section 2.8).
            _shard.Environment.Counters.Add(CoapCounter.Ignored);
            return Settled;
        }

        return Answering.Find(exchange, asked) is { } block ? BlockVerdict.Answer(block) : RunAgain(exchange);
    }

    private BlockVerdict TakeQBlock(CoapExchange exchange, QBlockServer qblock) =>
        qblock.Read(exchange, out BlockVerdict? verdict) is { } block ? TakeUpload(exchange, block) : verdict ?? RunAgain(exchange);

    // The stored response for later blocks was evicted: run the handler again if the method is safe.
    private BlockVerdict RunAgain(CoapExchange exchange)
    {
        CoapRequestContext request = exchange.Request;
        if (!request.Code.IsSafe || (request.Code == CoapCode.Fetch && request.Payload.IsEmpty))
        {
            // It was carried out once, and what came of it is gone.
            _shard.Environment.Counters.Add(CoapCounter.BodiesIncomplete);
            return BlockVerdict.Answer(BlockResponses.Incomplete("The answer is no longer available. Begin again."));
        }

        // A request for a later block needs its bytes, not the confirmation that an older representation is still valid.
        request.Options.Remove(OptionNumber.ETag);
        return default;
    }

    private BlockVerdict TakeUpload(CoapExchange exchange, BlockValue block)
    {
        if (_routes.FindBodyPolicy(exchange.Request, !IsQBlock(exchange), _shard.Environment) is not { } policy)
        {
            // The Resource stage says what is wrong; should a route come up meanwhile, no handler takes the part for the whole.
            exchange.Body = new ReceivedRequestBodyState
            {
                IsIncomplete = block.More
                || block.Number > 0, Block1 = IsQBlock(exchange) ? null : block
            };
            return default;
        }

        return Begins(exchange, block, policy) ? Admit(exchange, block, policy) : TakeAdmitted(exchange, block, policy, isAdmitted: false);
    }

    // Whether a block is the first one of a body to assemble, with checks to run before.
    private bool Begins(CoapExchange exchange, BlockValue block, RequestBodyPolicy policy)
    {
        if (!policy.HasGates || policy.Mode != RequestBodyMode.Whole)
        {
            return false;
        }

        _shard.Enter();
        try
        {
            return IsQBlock(exchange) ? _qblock!.Begins(exchange) : Requests.Begins(exchange, block);
        }
        finally
        {
            _shard.ExitAndSend();
        }
    }

    private BlockVerdict Admit(CoapExchange exchange, BlockValue block, RequestBodyPolicy policy)
    {
        ValueTask<CoapResult?> pending = _routes.AdmitAsync(exchange, _shard.Environment);
        if (!pending.IsCompletedSuccessfully)
        {
            _ = AdmitLaterAsync(pending, exchange, block, policy);
            return new BlockVerdict(BlockVerdictKind.Wait);
        }

        return pending.Result is { } refusal ? Refuse(exchange, block, refusal) : TakeAdmitted(exchange, block, policy, isAdmitted: true);
    }

    // Q-Block messages may be repeated as separate messages: without memory of the refusal, a late copy would start the assembly of the
    // body that its client was asked to send again.
    private BlockVerdict Refuse(CoapExchange exchange, BlockValue block, CoapResult refusal)
    {
        if (IsQBlock(exchange))
        {
            _shard.Enter();
            try
            {
                _qblock!.Refuse(exchange, block, refusal, _shard.Environment.Now);
            }
            finally
            {
                _shard.ExitAndSend();
            }
        }

        return BlockVerdict.Answer(refusal);
    }

    private async Task AdmitLaterAsync(ValueTask<CoapResult?> pending, CoapExchange exchange, BlockValue block, RequestBodyPolicy policy)
    {
        CoapResult? refusal = await pending.ConfigureAwait(false);
        BlockVerdict verdict = refusal is null ? TakeAdmitted(exchange, block, policy, isAdmitted: true) : Refuse(exchange, block, refusal);
        Logged(exchange, verdict);
        _shard.Enter();
        try
        {
            if (verdict.Kind == BlockVerdictKind.Deliver)
            {
                _shard.AfterRelease(exchange);
            }
            else if (verdict.Kind is BlockVerdictKind.Answer or BlockVerdictKind.Settle)
            {
                _shard.AfterRelease(new WaitingRequestCompletion(exchange, verdict.Result));
            }
        }
        finally
        {
            _shard.ExitAndSend();
        }
    }

    private BlockVerdict TakeAdmitted(CoapExchange exchange, BlockValue block, RequestBodyPolicy policy, bool isAdmitted)
    {
        BlockVerdict verdict;
        _shard.Enter();
        try
        {
            long now = _shard.Environment.Now;
            verdict = IsQBlock(exchange)
                ? _qblock!.Receive(exchange, block, policy, isAdmitted, now)
                : Requests.Receive(exchange, block, policy, isAdmitted, now);
        }
        finally
        {
            _shard.ExitAndSend();
        }

        // No lock is held, as the handler goes on within the call.
        verdict.Stream?.Write(exchange, block);
        return verdict;
    }

    private BlockVerdict Logged(CoapExchange exchange, BlockVerdict verdict)
    {
        if (verdict.Result is { Code.IsError: true } refusal)
        {
            CoapMessage message = exchange.Request.Message;
            using IDisposable? scope = MessageLogScope.BeginFor(_logger, LogLevel.Debug, exchange.Channel, message);
            CoapOptionCollection? options = message.OptionsToRead;
            BlockwiseLog.BlockRefused(_logger, exchange.Channel, options?.Block1?.ToString(), options?.Block2?.ToString(), refusal.Code);
        }

        return verdict;
    }
}
