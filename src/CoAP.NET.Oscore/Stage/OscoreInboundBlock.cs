using CoAP.NET.Composition.Stages;
using CoAP.NET.Diagnostics;
using CoAP.NET.Exchanges;
using CoAP.NET.Mesh;
using CoAP.NET.Messaging;
using CoAP.NET.Peers;
using CoAP.NET.Shard;

namespace CoAP.NET.Oscore.Stage;

/// <summary>
/// The inbound half of <see cref="OscoreProtection"/>: verified messages go up as those of a protected peer, refused ones are
/// answered here, and all others pass.
/// </summary>
internal sealed class OscoreInboundBlock : InlineBlock<CoapInbound, CoapInbound>
{
    private readonly CoapShard _shard;
    private readonly OscoreProtection _protection;
    private readonly MessagingOutboundBlock _messagingOut;
    private readonly ExchangeLayer _exchanges;
    private readonly OuterBlockwiseRequestReassembler? _requests;
    private readonly OuterBlockwiseResponseFetcher? _responses;

    /// <param name="pipeline">The mesh of the shard.</param>
    /// <param name="protection">Verifies requests.</param>
    /// <param name="max">
    /// The maximum payload of a protected message that is reassembled from blocks, in bytes; 0 for none. Single blocks cannot be verified,
    /// so a sender of blocks takes memory: that of request bodies, with a share for each source.
    /// </param>
    public OscoreInboundBlock(CoapShardPipeline pipeline, OscoreProtection protection, int max)
        : base(pipeline.Shard.Environment.Counters, pipeline.Shard.Environment.Logger)
    {
        if (max > 0)
        {
            _requests = new OuterBlockwiseRequestReassembler(pipeline, max);
            _responses = new OuterBlockwiseResponseFetcher(pipeline, max);
        }

        _shard = pipeline.Shard;
        _protection = protection;
        _messagingOut = pipeline.MessagingOut;
        _exchanges = pipeline.Exchanges;
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
            OscorePeer? peer = message.Code.IsRequest ? null : FindPeer(item.Channel, message.Token);
            if (!message.Code.IsRequest && peer is null)
            {
                Offer(item);
                return;
            }

            ValueTask<OscoreVerdict> asked;
            if (peer is not null)
            {
                if (IsChallenge(in item, message))
                {
                    AnswerChallenge(in item, message);
                    return;
                }

                asked = IsFirstBlock(message)
                    ? new ValueTask<OscoreVerdict>(FetchAsync(peer, message))
                    : new ValueTask<OscoreVerdict>(peer.UnprotectResponse(message));
            }
            else if (_requests is not null && message.OptionsToRead?.Block1 is { } block && !item.IsMulticast
                && OscoreProtection.IsProtected(message) && !_requests.Add(in item, block))
            {
                return;
            }
            else
            {
                if (!item.Channel.IsVerified && message.OptionsToRead is { } options && options.Contains(OptionNumber.Echo)
                    && OscoreProtection.IsProtected(message))
                {
                    // The outer Echo proves nothing about the request, but about its sender.
                    EchoVerification.Verify(_shard, item.Channel, options);
                }

                asked = _protection.UnprotectRequestAsync(item.Channel, message);
            }

            if (asked.IsCompletedSuccessfully)
            {
                OscoreVerdict verdict = asked.Result;
                Carry(in item, in verdict);
            }
            else
            {
                _ = CarryAsync(item, asked);
            }
        }
    }

    // No stage above accepted a message: the answer that is due is between the peer and Messaging.
    private protected override void OnDeclined(CoapInbound item)
    {
        if (item is { Kind: CoapInboundKind.Message, Message: { Code.IsRequest: true } message })
        {
            Counters.Add(CoapCounter.Busy);
            Reply(item with { Channel = item.Channel.Wire }, new CoapMessage(CoapCode.ServiceUnavailable) { Token = message.Token });
        }
    }

    private OscorePeer? FindPeer(CoapChannel channel, CoapToken token)
    {
        if (ProtectedPeersOfChannel.Of(channel) is not { } carried)
        {
            return null;
        }

        _shard.Enter();
        try
        {
            return carried.TryFind(token, out CoapChannel? found) ? (OscorePeer)found.Carried!.Peer : null;
        }
        finally
        {
            _shard.ExitAndSend();
        }
    }

    // A hop wants proof that this endpoint receives at its address (RFC 9175 section 2.4), once for a request.
    private static bool IsChallenge(in CoapInbound item, CoapMessage message) =>
        message.Code == CoapCode.Unauthorized
        && item.Transmission is { IsMessageProtected: true } sent
        && message.OptionsToRead is { } options
        && options.Contains(OptionNumber.Echo)
        && !sent.Message.Options.Contains(OptionNumber.Echo)
        && !OscoreProtection.IsProtected(message);

    // Repeats the previously protected bytes: the receiver does not execute them again, because their number was used. A forged challenge
    // therefore does no harm.
    private void AnswerChallenge(in CoapInbound item, CoapMessage challenge)
    {
        CoapMessage again = item.Transmission!.Message.Clone();
        if (challenge.Options.TryGetValue(OptionNumber.Echo, out ReadOnlySpan<byte> echo))
        {
            again.Options.Add(OptionNumber.Echo, echo);
        }

        CoapTransmission transmission = new(item.Channel, again, new EchoRetryTransmissionOwner(item.Transmission));
        transmission.SetProtected(again);
        Offer(item with { Kind = CoapInboundKind.Acknowledged, Message = null });
        _messagingOut.Run(new CoapOutbound { Channel = item.Channel, Message = again, Transmission = transmission });
    }

    private bool IsFirstBlock(CoapMessage message) =>
        _responses is not null && message.OptionsToRead?.Block2 is { Number: 0, More: true } && OscoreProtection.IsProtected(message);

    private async Task<OscoreVerdict> FetchAsync(OscorePeer peer, CoapMessage first)
    {
        try
        {
            return await _responses!.FetchAsync(peer, first).ConfigureAwait(false) is { } whole
                ? peer.UnprotectResponse(whole)
                : OscoreVerdict.Drop;
        }
        catch (CoapException)
        {
            // No block arrived, or an error: the request continues to wait for a valid response.
            return OscoreVerdict.Drop;
        }
    }

    private async Task CarryAsync(CoapInbound item, ValueTask<OscoreVerdict> asked)
    {
        OscoreVerdict verdict;
        try
        {
            verdict = await asked.ConfigureAwait(false);
        }
#pragma warning disable CA1031 // rule of the mesh: stage code never throws
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed(exception);
            verdict = OscoreVerdict.Drop;
        }

        if (TryEnter())
        {
            try
            {
                Carry(in item, in verdict);
            }
            finally
            {
                Leave();
            }
        }
    }

    private void Carry(in CoapInbound item, in OscoreVerdict verdict)
    {
        switch (verdict.Kind)
        {
            case OscoreVerdictKind.Pass:
                Offer(item);
                break;
            case OscoreVerdictKind.Deliver when !item.IsMulticast:
                Offer(item with
                {
                    Channel = verdict.Peer!.Channel,
                    Message = verdict.Message,
                    Transmission = EchoRetryTransmissionOwner.FirstOf(item.Transmission)
                });
                break;
            case OscoreVerdictKind.AskForAddress:
                _shard.Guard.Echo.AddTo(verdict.Message!, item.Channel, _shard.Environment.Now);
                Refuse(in item, verdict.Message!, isOwed: false);
                break;
            case OscoreVerdictKind.Refuse:
                Refuse(in item, verdict.Message!, verdict.IsOwed);
                break;
            case OscoreVerdictKind.Answer:
                Answer(in item, verdict.Peer!, verdict.Message!);
                break;
            case OscoreVerdictKind.Fail:
                Drop(in item);
                Fail(verdict.Peer!.Channel, item.Message!.Token, verdict.Error!);
                break;
            case OscoreVerdictKind.Elsewhere when item.Received is { } received:
                LeaveToAnother(in item, received, verdict.Relay);
                break;
            default:
                Drop(in item);
                break;
        }
    }

    // Answers a Confirmable request and ignores others (RFC 8613 section 8.2: the answers are optional), unless an answer is owed.
    private void Refuse(in CoapInbound item, CoapMessage answer, bool isOwed)
    {
        if (item.Channel.IsReliable || ((isOwed || item.Type == CoapMessageType.Confirmable) && !item.IsMulticast))
        {
            answer.Token = item.Message!.Token;
            Reply(in item, answer);
        }
        else
        {
            Drop(in item);
        }
    }

    private void Answer(in CoapInbound item, OscorePeer peer, CoapMessage answer)
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
        _messagingOut.Run(new CoapOutbound { Channel = item.Channel, Message = answer, Received = item.Received });

    private void LeaveToAnother(in CoapInbound item, ReceivedMessage received, Action<CoapMessage>? relay)
    {
        bool isAcknowledged;
        _shard.Enter();
        try
        {
            isAcknowledged = received.State == ReceivedMessageState.Acknowledged;
            _messagingOut.Layer.Send(
                new CoapOutbound { Channel = item.Channel, Kind = CoapOutboundAction.Forget, Received = received },
                _shard.Environment.Now);
        }
        finally
        {
            _shard.ExitAndSend();
        }

        if (relay is null)
        {
            return;
        }

        CoapMessage message = item.Message!;
        if (isAcknowledged)
        {
            // It was acknowledged while its context was looked up, so its response must be a separate one (RFC 7252 section 5.2.2).
            message = message.Clone();
            message.Type = CoapMessageType.NonConfirmable;
        }

        relay(message);
    }

    private void Drop(in CoapInbound item)
    {
        Counters.Add(CoapCounter.Ignored);
        item.Channel.NoteDrop(CoapCounter.Ignored);
        if (item.Received is { } received)
        {
            _messagingOut.Run(new CoapOutbound { Channel = item.Channel, Kind = CoapOutboundAction.Finish, Received = received });
        }
        else if (item.Transmission is not null)
        {
            // It came with an acknowledgement, which cannot be verified either: the request waits for a separate response.
            Offer(item with { Kind = CoapInboundKind.Acknowledged, Message = null });
        }
    }

    private void Fail(CoapChannel channel, CoapToken token, CoapException error)
    {
        ClientRequest? request;
        MultiResponseToken? standing = null;
        _shard.Enter();
        try
        {
            // On datagrams an attacker who is faster than the peer could end the request otherwise (RFC 8613 appendix D.5.3).
            if (!channel.IsReliable && _exchanges.TryDoubt(channel, token, error, channel.Parameters.AckTimeout))
            {
                return;
            }

            if (_exchanges.TryTake(channel, token, out request))
            {
                _shard.Cancel(request.Transmission);
                request.FailAfterRelease(error);
            }
            else
            {
                ExchangeLayer.TryFind(channel, token, out standing);
            }
        }
        finally
        {
            _shard.ExitAndSend();
        }

        standing?.Owner.OnRejected(standing, error);
    }

    private void OnDisconnected(in CoapInbound item)
    {
        CoapChannel[] carried = [];
        _shard.Enter();
        try
        {
            if (ProtectedPeersOfChannel.Of(item.Channel) is { } all)
            {
                carried = [.. all.All];
                all.Clear();
            }
        }
        finally
        {
            _shard.ExitAndSend();
        }

        foreach (CoapChannel channel in carried)
        {
            Offer(item with { Channel = channel });
        }

        Offer(item);
    }
}

/// <summary>
/// Represents a message that a hop requested again with an Echo. The outcome of the second message is reported for the first one, because
/// its owner knows only that one.
/// </summary>
/// <param name="first">The first message.</param>
internal sealed class EchoRetryTransmissionOwner(CoapTransmission first) : ITransmissionOwner
{
    /// <summary>Returns the message that its owner knows.</summary>
    /// <param name="transmission">A message that was answered; null for none.</param>
    public static CoapTransmission? FirstOf(CoapTransmission? transmission) =>
        transmission?.Owner is EchoRetryTransmissionOwner challenge ? challenge.First : transmission;

    /// <summary>The first message.</summary>
    public CoapTransmission First => first;

    void ITransmissionOwner.OnTransmissionEnd(CoapTransmission transmission, CoapInboundKind fate) =>
        first.Owner?.OnTransmissionEnd(first, fate);

    void ITransmissionOwner.OnDisconnected(CoapTransmission transmission, CoapConnectionException reason) =>
        first.Owner?.OnDisconnected(first, reason);
}
