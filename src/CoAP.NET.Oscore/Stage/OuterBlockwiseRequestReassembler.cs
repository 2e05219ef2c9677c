using CoAP.NET.Blockwise;
using CoAP.NET.Blockwise.Server;
using CoAP.NET.Composition.Stages;
using CoAP.NET.Exchanges;
using CoAP.NET.Requests;
using CoAP.NET.Shard;

namespace CoAP.NET.Oscore.Stage;

/// <summary>
/// Reassembles protected requests that a proxy cut into blocks (RFC 8613 section 4.1.3.4.2), before they are verified. The limits for
/// other bodies apply, with a share for each source.
/// </summary>
internal sealed class OuterBlockwiseRequestReassembler
{
    private readonly CoapShard _shard;
    private readonly RequestBodyStore _bodies;
    private readonly ExchangesOutboundBlock _exchangesOut;
    private readonly RequestBodyPolicy _policy;

    /// <param name="pipeline">The mesh of the shard.</param>
    /// <param name="max">The maximum payload in bytes.</param>
    public OuterBlockwiseRequestReassembler(CoapShardPipeline pipeline, int max)
    {
        _shard = pipeline.Shard;
        _bodies = pipeline.Blockwise.Requests;
        _exchangesOut = pipeline.ExchangesOut;
        _policy = new RequestBodyPolicy(RequestBodyMode.Whole, max);
    }

    /// <summary>Adds a block, and answers it unless it completes the request.</summary>
    /// <param name="item">The request with the block.</param>
    /// <param name="block">Its Block1.</param>
    /// <returns>Whether the block completed the request: the message is then the whole request.</returns>
    public bool Add(in CoapInbound item, BlockValue block)
    {
        CoapMessage message = item.Message!;
        CoapExchange exchange = new(item.Channel, item.Received, new CoapRequestContext(message, item.Channel));
        CoapResult? answer = BlockwiseRequestReceiver.CheckOptions(block, message.Options.Block2, message.Payload.Length,
            PeerBlockwiseState.TakesBert(item.Channel));
        if (answer is null)
        {
            _shard.Enter();
            try
            {
                answer = _bodies.Receive(exchange, block, _policy, isAdmitted: false, _shard.Environment.Now).Result;
                if (exchange.Body?.Transfer is StoredTransfer body)
                {
                    // The message now has the whole body, and the store does not need it any more.
                    _bodies.Release(body);
                }
            }
            finally
            {
                _shard.ExitAndSend();
            }
        }

        if (answer is null)
        {
            return true;
        }

        exchange.Side = item.Channel.Connection?.Requests?.Begin() ?? 0;
        if (exchange.TryClaimReply())
        {
            _exchangesOut.Run(new CoapServerReply(exchange, answer));
        }

        return false;
    }
}
