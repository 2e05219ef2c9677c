using CoAP.NET.Blockwise;
using CoAP.NET.Channels;
using CoAP.NET.Options;

namespace CoAP.NET.Exchanges;

// Requests with Q-Block1 and Q-Block2: RFC 9177 sections 4.3 and 4.4.
public sealed partial class ExchangesInbound
{
    /// <summary>Deals with the Q-Block options of a request.</summary>
    /// <returns>Whether it goes on to the Resource stage; otherwise it was answered, or nobody waits for an answer.</returns>
    private bool TakeQBlock(in CoapInbound item, CoapExchange exchange)
    {
        CoapMessage message = exchange.Request.Message;
        CoapOptionCollection options = message.OptionsToRead!;
        if ((exchange.Special & BlockOptions) != 0)
        {
            Refuse(exchange, QBlockAnswers.BadOption("Block and Q-Block options do not go together."));
            return false;
        }

        QBlockWish? wish = QBlockWish.Read(options, out CoapResult? wrong);
        if (wrong is not null)
        {
            Refuse(exchange, wrong);
            return false;
        }

        return QBlockAnswers.QBlock1Of(message) is { } block ? TakeQBlock1(exchange, block) : wish!.IsWhole || TakeQBlock2(in item, exchange, wish);
    }

    private bool TakeQBlock1(CoapExchange exchange, BlockValue block)
    {
        if (_policies.FindBodyPolicy(exchange.Request, _shard.Environment) is not { } policy)
        {
            // The Resource stage says what is wrong; no handler takes the part for the whole.
            exchange.Body = new ExchangeBody { IsIncomplete = block.More || block.Number > 0 };
            return true;
        }

        return Begins(exchange, block, policy) ? Admit(exchange, block, policy) : TakeAdmitted(exchange, block, policy, isAdmitted: false);
    }

    private bool TakeQBlock2(in CoapInbound item, CoapExchange exchange, QBlockWish wish)
    {
        if (_outbound.FindQBlocks(exchange, wish) is { } verdict)
        {
            return Follow(in item, exchange, verdict);
        }

        CoapRequest request = exchange.Request;
        if (!request.Code.IsSafe || (request.Code == CoapCode.Fetch && request.Payload.IsEmpty))
        {
            // It was carried out once, and what came of it is gone.
            Counters.Add(CoapCounter.BodiesIncomplete);
            Refuse(exchange, BlockAnswers.Incomplete("The answer is not here any more. Begin anew."));
            return false;
        }

        // Who asks for a block wants its bytes, not to hear that an older representation is still valid.
        request.Options.Remove(OptionNumber.ETag);
        return true;
    }

    private bool Follow(in CoapInbound item, CoapExchange exchange, BodyVerdict verdict)
    {
        if (verdict.Kind == BodyVerdictKind.Answer)
        {
            Refuse(exchange, verdict.Result!);
        }
        else if (verdict.Kind == BodyVerdictKind.Settle)
        {
            Settle(in item, CoapOutboundKind.Finish);
        }

        return verdict.Kind == BodyVerdictKind.Deliver;
    }

    // What became of a message that no request of a peer waited for.
    private bool OnQBlockTransmission(in CoapInbound item)
    {
        object? owner = item.Transmission?.Owner;
        if (owner is not (QBlockBody or QBlockSending))
        {
            return false;
        }

        _shard.Enter();
        try
        {
            if (owner is QBlockSending sending)
            {
                _bodies.OnSent(sending, item.Kind, _shard.Environment.Now);
            }
            else if (item.Kind == CoapInboundKind.Reset)
            {
                _bodies.OnReset((QBlockBody)owner);
            }
        }
        finally
        {
            _shard.Exit();
        }

        return true;
    }
}
