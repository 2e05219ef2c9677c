using CoAP.NET.Blockwise;
using CoAP.NET.Exchanges;
using CoAP.NET.Options;

namespace CoAP.NET.Protection;

/// <summary>
/// Protected requests that a proxy cut into blocks (RFC 8613 section 4.1.3.4.2): they are put together before they are verified. What is
/// kept of them is bounded as other bodies are, with a share of each source.
/// </summary>
internal sealed class FragmentedRequests
{
    private readonly CoapShard _shard;
    private readonly BodyLayer _bodies;
    private readonly ExchangesOutbound _exchangesOut;
    private readonly BodyPolicy _policy;

    /// <param name="shard">For the lock and the clock.</param>
    /// <param name="bodies">Puts bodies together.</param>
    /// <param name="exchangesOut">Answers blocks.</param>
    /// <param name="max">The largest payload, in bytes.</param>
    public FragmentedRequests(CoapShard shard, BodyLayer bodies, ExchangesOutbound exchangesOut, int max)
    {
        _shard = shard;
        _bodies = bodies;
        _exchangesOut = exchangesOut;
        _policy = new BodyPolicy(BodyMode.Whole, max);
    }

    /// <summary>Takes a block.</summary>
    /// <param name="item">The request with it.</param>
    /// <param name="block">Its Block1.</param>
    /// <returns>Whether it was the last one: the message is the whole request then. Others were answered.</returns>
    public bool IsWhole(in CoapInbound item, BlockValue block)
    {
        CoapMessage message = item.Message!;
        CoapExchange exchange = new(item.Channel, item.Reception, new CoapRequest(message) { Channel = item.Channel });
        CoapResult? answer = BlockAnswers.Check(block, message.Options.Block2, message.Payload.Length, item.Channel.TakesBert);
        if (answer is null)
        {
            _shard.Enter();
            try
            {
                answer = _bodies.Uploads.Receive(exchange, block, _policy, isAdmitted: false, _shard.Environment.Now).Result;
                if (exchange.Body?.Owner is { } owner)
                {
                    // From here on it is a message like others.
                    _bodies.Requests.Table.Release(owner);
                }
            }
            finally
            {
                _shard.Exit();
            }
        }

        if (answer is null)
        {
            return true;
        }

        exchange.Side = item.Channel.Requests?.Begin() ?? 0;
        if (exchange.TryClaimReply())
        {
            _exchangesOut.Run(new CoapReply(exchange, answer));
        }

        return false;
    }
}
