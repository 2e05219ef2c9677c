using CoAP.NET.Exchanges;
using CoAP.NET.Messaging;

namespace CoAP.NET.Protection;

/// <summary>
/// The inbound half of a <see cref="CoapProtection"/>: messages that it verified go up as those of a protected peer, what it refuses is
/// answered here, and all else passes.
/// </summary>
internal sealed class ProtectionInbound : InlineBlock<CoapInbound, CoapInbound>
{
    private readonly CoapShard _shard;
    private readonly CoapProtection _protection;
    private readonly MessagingOutbound _messagingOut;
    private readonly ExchangeLayer _exchanges;

    public ProtectionInbound(CoapShard shard, CoapProtection protection, MessagingOutbound messagingOut, ExchangeLayer exchanges)
        : base(shard.Environment.Counters, shard.Environment.Logger)
    {
        _shard = shard;
        _protection = protection;
        _messagingOut = messagingOut;
        _exchanges = exchanges;
    }

    internal override void Process(CoapInbound item)
    {
        if (item is { Kind: CoapInboundKind.Disconnected, Transmission: null })
        {
            OnDisconnected(in item);
        }
        else if (item is not { Kind: CoapInboundKind.Message, Message: { } message })
        {
            Offer(item);
        }
        else
        {
            CoapProtectedPeer? peer = message.Code.IsRequest ? null : FindPeer(item.Channel, message.Token);
            if (!message.Code.IsRequest && peer is null)
            {
                Offer(item);
                return;
            }

            ValueTask<CoapProtectionVerdict> asked = peer is null
                ? _protection.UnprotectRequestAsync(item.Channel, message)
                : new ValueTask<CoapProtectionVerdict>(peer.UnprotectResponse(message));
            if (asked.IsCompletedSuccessfully)
            {
                CoapProtectionVerdict verdict = asked.Result;
                Carry(in item, in verdict);
            }
            else
            {
                _ = CarryAsync(item, asked);
            }
        }
    }

    // Nobody above took a message: what is owed for that is between the peer and Messaging.
    private protected override void OnDeclined(CoapInbound item)
    {
        if (item is { Kind: CoapInboundKind.Message, Message: { Code.IsRequest: true } message })
        {
            Counters.Add(CoapCounter.Busy);
            Reply(item with { Channel = item.Channel.Wire }, new CoapMessage(CoapCode.ServiceUnavailable) { Token = message.Token });
        }
    }

    private CoapProtectedPeer? FindPeer(CoapChannel channel, CoapToken token)
    {
        if (channel.ProtectedOnes is null)
        {
            return null;
        }

        _shard.Enter();
        try
        {
            return channel.ProtectedOnes.TryFind(token, out CoapChannel? found) ? found.Carried!.Peer : null;
        }
        finally
        {
            _shard.Exit();
        }
    }

    private async Task CarryAsync(CoapInbound item, ValueTask<CoapProtectionVerdict> asked)
    {
        CoapProtectionVerdict verdict;
        try
        {
            verdict = await asked.ConfigureAwait(false);
        }
#pragma warning disable CA1031 // law of the mesh: stage code never throws
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed(exception);
            verdict = CoapProtectionVerdict.Drop;
        }

        if (TryEnter(out InlineSeat? seat))
        {
            try
            {
                Carry(in item, in verdict);
            }
            finally
            {
                Leave(seat);
            }
        }
    }

    private void Carry(in CoapInbound item, in CoapProtectionVerdict verdict)
    {
        switch (verdict.Kind)
        {
            case ProtectionVerdictKind.Pass when item.Message!.Code.IsRequest:
                Offer(item);
                break;
            case ProtectionVerdictKind.Deliver when !item.IsMulticast:
                Offer(item with { Channel = verdict.Peer!.Channel, Message = verdict.Message });
                break;
            case ProtectionVerdictKind.Refuse when item.Message!.Code.IsRequest:
                Refuse(in item, verdict.Message!);
                break;
            case ProtectionVerdictKind.Answer when item.Message!.Code.IsRequest:
                Answer(in item, verdict.Peer!, verdict.Message!);
                break;
            case ProtectionVerdictKind.Fail:
                Drop(in item);
                Fail(verdict.Peer!.Channel, item.Message!.Token, verdict.Error!);
                break;
            default:
                Drop(in item);
                break;
        }
    }

    // A Confirmable request is answered; others are as good as lost (RFC 8613 section 8.2: the answers are optional).
    private void Refuse(in CoapInbound item, CoapMessage answer)
    {
        if (item.Channel.IsReliable || (item.Type == CoapMessageType.Confirmable && !item.IsMulticast))
        {
            answer.Token = item.Message!.Token;
            Reply(in item, answer);
        }
        else
        {
            Drop(in item);
        }
    }

    private void Answer(in CoapInbound item, CoapProtectedPeer peer, CoapMessage answer)
    {
        answer.Token = item.Message!.Token;
        if (peer.TryProtect(answer, out CoapMessage? sent))
        {
            Reply(in item, sent);
        }
        else
        {
            Drop(in item);
        }
    }

    private void Reply(in CoapInbound item, CoapMessage answer) =>
        _messagingOut.Run(new CoapOutbound { Channel = item.Channel, Message = answer, Reception = item.Reception });

    private void Drop(in CoapInbound item)
    {
        Counters.Add(CoapCounter.Ignored);
        item.Channel.NoteDrop(CoapCounter.Ignored);
        if (item.Reception is { } reception)
        {
            _messagingOut.Run(new CoapOutbound { Channel = item.Channel, Kind = CoapOutboundKind.Finish, Reception = reception });
        }
        else if (item.Transmission is not null)
        {
            // It came with an acknowledgement, which nobody can verify either: the request waits for a response of its own.
            Offer(item with { Kind = CoapInboundKind.Acknowledged, Message = null });
        }
    }

    private void Fail(CoapChannel channel, CoapToken token, CoapException error)
    {
        ClientRequest? request;
        StandingRequest? standing = null;
        _shard.Enter();
        try
        {
            if (_exchanges.TryTake(channel, token, out request))
            {
                _shard.Cancel(request.Transmission);
                _shard.Tell(request, error);
            }
            else
            {
                ExchangeLayer.TryFind(channel, token, out standing);
            }
        }
        finally
        {
            _shard.Exit();
        }

        standing?.Owner.OnRejected(standing, error);
    }

    private void OnDisconnected(in CoapInbound item)
    {
        CoapChannel[] carried = [];
        _shard.Enter();
        try
        {
            if (item.Channel.ProtectedOnes is { } all)
            {
                carried = [.. all.All];
                all.Clear();
            }
        }
        finally
        {
            _shard.Exit();
        }

        foreach (CoapChannel channel in carried)
        {
            Offer(item with { Channel = channel });
        }

        Offer(item);
    }
}
