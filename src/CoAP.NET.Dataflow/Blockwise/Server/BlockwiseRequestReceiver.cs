using System.Globalization;
using CoAP.NET.Channels;
using CoAP.NET.Exchanges;
using CoAP.NET.Requests;
using CoAP.NET.Resources;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Blockwise.Server;

/// <summary>
/// Receives requests with Block or Q-Block options in the role of a server, before they reach the Resource stage (RFC 7959 sections 2.3 to
/// 2.8, RFC 9177). Takes the lock of the shard, except in <see cref="Forget"/> and as a guard of peers.
/// </summary>
internal sealed class BlockwiseRequestReceiver : IPeerEvictionGuard
{
    private const RequestOptionFlags BlockOptions = RequestOptionFlags.Block1 | RequestOptionFlags.Block2;

    private readonly CoapShard _shard;
    private readonly RouteTable _routes;
    private readonly QBlockServer? _qblock;
    private readonly ILogger _logger;

    public BlockwiseRequestReceiver(CoapShard shard, BlockwiseBudgets budgets, RouteTable routes,
        Func<CoapShard, RequestBodyStore, BlockwiseResponder, QBlockServer>? makeQBlock)
    {
        _shard = shard;
        _routes = routes;
        _logger = shard.Environment.Logger;
        Requests = new RequestBodyStore(shard, budgets.Requests);
        Responses = new ServedBlockwiseResponses(shard, budgets.Responses);
        Responder = new BlockwiseResponder(shard, Requests, Responses, makeQBlock);
        _qblock = Responder.QBlock;
    }

    /// <summary>The bodies of unanswered requests.</summary>
    public RequestBodyStore Requests { get; }

    /// <summary>The responses that peers fetch block by block.</summary>
    public ServedBlockwiseResponses Responses { get; }

    public BlockwiseResponder Responder { get; }

    /// <summary>Returns the error in the Block options of a request (RFC 7959 sections 2.2 and 2.3); null for none.</summary>
    /// <param name="block1">Its Block1.</param>
    /// <param name="block2">Its Block2.</param>
    /// <param name="length">The length of its payload.</param>
    /// <param name="takesBert">Whether the peer and this endpoint support size exponent 7 (RFC 8323 section 6).</param>
    public static CoapResult? CheckOptions(BlockValue? block1, BlockValue? block2, int length, bool takesBert)
    {
        if (!takesBert && (block1 is { IsBert: true } || block2 is { IsBert: true }))
        {
            return CoapResults.BadRequest("Size exponent 7 is reserved.");
        }

        if (block1 is not { } block)
        {
            return null;
        }

        if (block2 is { Number: > 0 })
        {
            return CoapResults.BadRequest("A request with Block1 can only ask for block 0 of the response.");
        }

        return BlockPayloadSize.IsLength(block, length)
            ? null
            : CoapResults.BadRequest(string.Create(
                CultureInfo.InvariantCulture, $"The payload of {length} bytes does not match Block1 {block}."));
    }

    // Unfinished bodies do not keep a peer: they are discarded with it.
    bool IPeerEvictionGuard.CanForget(CoapChannel channel, long now) => true;

    bool IPeerEvictionGuard.IsQuiet(CoapChannel channel) => Requests.CountOf(channel) == 0;

    /// <summary>Discards the unfinished transfers of a forgotten peer. The caller holds the lock of the shard.</summary>
    public void Forget(CoapChannel channel)
    {
        Requests.GiveUpAllOf(
            channel, channel.IsConnection ? "The connection has ended." : "The peer was forgotten for lack of room.");
        Responses.Forget(channel);
    }

    /// <summary>Ends all bodies because the endpoint stops. Handlers that read them get an error.</summary>
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

    /// <summary>Whether a request continues a running transfer. Such requests are served while the endpoint stops.</summary>
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
    public BlockVerdict Receive(CoapExchange exchange) =>
        Logged(exchange, IsQBlock(exchange) && _qblock is not null ? ReceiveQBlock(exchange, _qblock) : ReceiveBlock(exchange));

    private static BlockVerdict Settled => new(BlockVerdictKind.Settle);

    private static bool IsQBlock(CoapExchange exchange) => (exchange.Special & RequestOptionFlags.QBlock) != 0;

    private BlockVerdict ReceiveBlock(CoapExchange exchange)
    {
        CoapMessage message = exchange.Request.Message;
        BlockValue? block1 = message.OptionsToRead!.Block1;
        BlockValue? block2 = message.OptionsToRead!.Block2;
        if (CheckOptions(block1, block2, message.Payload.Length, PeerBlockwiseState.TakesBert(exchange.Channel)) is { } wrong)
        {
            return BlockVerdict.Answer(wrong);
        }

        if (block2 is { } asked && !exchange.Channel.IsReliable)
        {
            exchange.Channel.AskedBlockSize = (byte)(asked.SizeExponent + 1);
        }

        return block1 is { } block ? ReceiveUpload(exchange, block)
            : block2 is not { Number: > 0 } later ? default
            : ReceiveRequestForLaterBlock(exchange, later);
    }

    private BlockVerdict ReceiveRequestForLaterBlock(CoapExchange exchange, BlockValue asked)
    {
        if (exchange.Request.IsMulticast)
        {
            // A client may request only the first block of a group (RFC 7959 section 2.8).
            _shard.Environment.Counters.Add(CoapCounter.Ignored);
            return Settled;
        }

        return Responder.Find(exchange, asked) is { } block ? BlockVerdict.Answer(block) : RunAgain(exchange);
    }

    private BlockVerdict ReceiveQBlock(CoapExchange exchange, QBlockServer qblock) =>
        qblock.Read(exchange, out BlockVerdict? verdict) is { } block ? ReceiveUpload(exchange, block) : verdict ?? RunAgain(exchange);

    // The stored response for later blocks was evicted: run the handler again if the method is safe.
    private BlockVerdict RunAgain(CoapExchange exchange)
    {
        CoapRequestContext request = exchange.Request;
        if (!request.Code.IsSafe || (request.Code == CoapCode.Fetch && request.Payload.IsEmpty))
        {
            // The handler must not run twice, and its response was discarded.
            _shard.Environment.Counters.Add(CoapCounter.BodiesIncomplete);
            return BlockVerdict.Answer(BlockResponses.Incomplete("The response is no longer available. Begin again."));
        }

        // A request for a later block needs its bytes, not the confirmation that an older representation is still valid.
        request.Options.Remove(OptionNumber.ETag);
        return default;
    }

    private BlockVerdict ReceiveUpload(CoapExchange exchange, BlockValue block)
    {
        if (_routes.FindBodyPolicy(exchange.Request, !IsQBlock(exchange), _shard.Environment) is not { } policy)
        {
            // The Resource stage responds with the error. If a route is added meanwhile, no handler gets a part as the whole body.
            exchange.Body = new ReceivedRequestBodyState
            {
                IsIncomplete = block.More
                || block.Number > 0, Block1 = IsQBlock(exchange) ? null : block
            };
            return default;
        }

        return Begins(exchange, block, policy)
            ? Admit(exchange, block, policy)
            : ReceiveAdmitted(exchange, block, policy, isAdmitted: false);
    }

    // Whether a block is the first one of a body to assemble, on a route with admission checks.
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

        return pending.Result is { } refusal
            ? Refuse(exchange, block, refusal)
            : ReceiveAdmitted(exchange, block, policy, isAdmitted: true);
    }

    // Copies of Q-Block messages may arrive as separate messages. Without a record of the refusal, a late copy would start another body.
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
        BlockVerdict verdict = refusal is null
            ? ReceiveAdmitted(exchange, block, policy, isAdmitted: true)
            : Refuse(exchange, block, refusal);
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

    private BlockVerdict ReceiveAdmitted(CoapExchange exchange, BlockValue block, RequestBodyPolicy policy, bool isAdmitted)
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

        // No lock is held, because the handler continues within the call.
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
