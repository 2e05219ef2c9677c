using CoAP.NET.Composition.Stages;
using CoAP.NET.Diagnostics;
using CoAP.NET.Mesh;
using CoAP.NET.Messaging;
using CoAP.NET.Peers;
using CoAP.NET.Shard;

namespace CoAP.NET.Oscore.Stage;

/// <summary>
/// The outbound half of <see cref="OscoreProtection"/>: messages to a protected peer leave protected, by the channel that carries
/// them; all others pass. No message to a protected peer leaves unprotected.
/// </summary>
internal sealed class OscoreOutboundBlock : InlineBlock<CoapOutbound, CoapOutbound>
{
    private readonly CoapShard _shard;
    private readonly MessagingOutboundBlock _messagingOut;

    /// <param name="pipeline">The mesh of the shard.</param>
    public OscoreOutboundBlock(CoapShardPipeline pipeline)
        : base(pipeline.Shard.Environment.Counters, pipeline.Shard.Environment.Logger)
    {
        _shard = pipeline.Shard;
        _messagingOut = pipeline.MessagingOut;
    }

    internal override void Process(CoapOutbound item)
    {
        if (item.Channel.Carried is not { } carried)
        {
            Offer(item);
        }
        else if (item.Kind != CoapOutboundAction.Message || item is { Transmission.IsRenewable: true, Received: null })
        {
            // The transmission protects a message that may change until it leaves.
            Offer(item with { Channel = carried.Carrier });
        }
        else if (!TryProtect(in item, carried))
        {
            _ = ProtectAsync(item, carried);
        }
    }

    private bool TryProtect(in CoapOutbound item, ProtectedChannelData carried)
    {
        if (!carried.Peer.TryProtect(item.Message!, out CoapMessage? message))
        {
            return false;
        }

        message.Type = item.Message!.Type;
        item.Transmission?.SetProtected(message);
        Offer(item with { Channel = carried.Carrier, Message = message });
        return true;
    }

    private async Task ProtectAsync(CoapOutbound item, ProtectedChannelData carried)
    {
        bool isSent = false;
        try
        {
            await ((OscorePeer)carried.Peer).PrepareAsync().ConfigureAwait(false);
            if (TryEnter())
            {
                try
                {
                    isSent = TryProtect(in item, carried);
                }
                finally
                {
                    Leave();
                }
            }
        }
        catch (CoapException)
        {
            // The security context is closed or exhausted, or its numbers cannot be stored. The waiting caller is notified.
        }
#pragma warning disable CA1031 // rule of the mesh: stage code never throws
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed(exception);
        }

        if (!isSent)
        {
            GiveUp(in item, carried);
        }
    }

    // Notifies a waiting caller; a peer gets no answer rather than an unprotected one.
    private void GiveUp(in CoapOutbound item, ProtectedChannelData carried)
    {
        Counters.Add(CoapCounter.NotSent);
        carried.Carrier.NoteDrop(CoapCounter.NotSent);
        if (item.Transmission is { } transmission)
        {
            _shard.Enter();
            try
            {
                transmission.IsOver = true;
                _shard.Raise(new CoapInbound
                {
                    Channel = carried.Carrier,
                    Kind = CoapInboundKind.NotSent,
                    Transmission = transmission,
                });
            }
            finally
            {
                _shard.ExitAndSend();
            }
        }

        if (item.Received is { } received)
        {
            _messagingOut.Run(new CoapOutbound { Channel = carried.Carrier, Kind = CoapOutboundAction.Finish, Received = received });
        }
    }
}
