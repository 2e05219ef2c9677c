using System.Threading.Tasks.Dataflow;
using CoAP.NET.Exchanges;
using CoAP.NET.Messaging;
using CoAP.NET.Resources;

namespace CoAP.NET.Composition.Stages;

/// <summary>The four ends of the Handler stage: of Messaging and Exchanges, or of the application's blocks in their place.</summary>
internal sealed class HandlerStagePorts
{
    private readonly MessagingAndExchangesStage _standard;
    private readonly MeshWiring _wiring;
    private readonly UserHandlerStageInboundCheck? _requests;
    private readonly UserHandlerStageOutboundCheck? _messages;

    /// <summary>Creates the stage. Blocks of the application are linked to checks of their results.</summary>
    /// <param name="own">The blocks of the application; null for none.</param>
    /// <param name="standard">The stages of the library.</param>
    /// <param name="shard">The shard.</param>
    /// <param name="wiring">Links the blocks.</param>
    public HandlerStagePorts(CoapHandlerStageBlocks? own, MessagingAndExchangesStage standard, CoapShard shard, MeshWiring wiring)
    {
        _standard = standard;
        _wiring = wiring;
        if (own is null)
        {
            (Messages, Requests, Replies, Outgoing) =
                (standard.MessagingIn, standard.ExchangesIn, standard.ExchangesOut, standard.MessagingOut);
            return;
        }

        _requests = new UserHandlerStageInboundCheck(shard.Environment, own.Outbound);
        _messages = new UserHandlerStageOutboundCheck(shard.Environment);
        wiring.LinkWithin(own.Inbound, _requests, CoapStages.Handler.Name);
        wiring.LinkWithin(own.Outbound, _messages, CoapStages.Handler.Name);
        (Messages, Requests, Replies, Outgoing) = (own.Inbound, _requests, own.Outbound, _messages);

        // Messages of the library itself, such as requests of clients, pass by the blocks, unless these take them.
        if (!standard.Inbound.IsLinked)
        {
            PassRequestsBy();
        }

        if (!standard.Outbound.IsLinked)
        {
            PassMessagesBy();
        }
    }

    public ITargetBlock<CoapInbound> Messages { get; }

    public ISourceBlock<CoapExchange> Requests { get; }

    public ITargetBlock<CoapServerReply> Replies { get; }

    public ISourceBlock<CoapOutbound> Outgoing { get; }

    /// <summary>Ends receiving, up to this stage and the blocks of the application in it.</summary>
    public async Task EndReceivingAsync(IDataflowBlock first, StopDeadline time)
    {
        _standard.Inbound.Ending = async () =>
        {
            // No message passes this link any more, so that the blocks miss none that passes them by.
            await _wiring.CompleteBetweenAsync(_standard.MessagingIn, _standard.ExchangesIn, time, atOnce: true).ConfigureAwait(false);
            if (_standard.Inbound.IsLinked)
            {
                PassRequestsBy();
            }
        };
        await _wiring.CompleteAsync(first, _requests is null ? Messages : _requests, time).ConfigureAwait(false);
        await _standard.Inbound.EndAsync().ConfigureAwait(false);
    }

    /// <summary>Ends serving: answers reach Exchanges, also those in blocks of the application in this stage.</summary>
    public async Task EndServingAsync(IDataflowBlock resource, StopDeadline time)
    {
        await _wiring.CompleteBetweenAsync(resource, Replies, time).ConfigureAwait(false);
        _standard.Outbound.Ending = async () =>
        {
            await _wiring.CompleteBetweenAsync(_standard.ExchangesOut, _standard.MessagingOut, time).ConfigureAwait(false);
            if (_standard.Outbound.IsLinked)
            {
                PassMessagesBy();
            }
        };
        if (_messages is not null)
        {
            await _wiring.CompleteAsync(Replies, _messages, time).ConfigureAwait(false);
        }
    }

    /// <summary>Ends answering: messages reach Messaging.</summary>
    public Task EndAnsweringAsync() => _standard.Outbound.EndAsync();

    private void PassRequestsBy() => _wiring.LinkWithin(_standard.ExchangesIn, _requests!, CoapStages.Handler.Name);

    private void PassMessagesBy() => _wiring.LinkWithin(_standard.MessagingOut, _messages!, CoapStages.Handler.Name);
}

/// <summary>Follows the inbound half of a Handler of the application: a request that no block takes is answered 5.03.</summary>
internal sealed class UserHandlerStageInboundCheck(CoapEnvironment environment, ITargetBlock<CoapServerReply> replies)
    : InlineBlock<CoapExchange, CoapExchange>(environment.Counters, environment.Logger)
{
    internal override void Process(CoapExchange item) => Offer(item
        ?? throw new InvalidOperationException("The Handler returned null. Make exchanges by CoapExchange.Begin."));

    private protected override void OnDeclined(CoapExchange item)
    {
        Counters.Add(CoapCounter.Busy);
        if (item.TryClaimReply())
        {
            replies.Post(new CoapServerReply(item, ResourceInboundBlock.MakeBusy(environment)));
        }
    }
}

/// <summary>Follows the outbound half of a Handler of the application.</summary>
internal sealed class UserHandlerStageOutboundCheck(CoapEnvironment environment)
    : InlineBlock<CoapOutbound, CoapOutbound>(environment.Counters, environment.Logger)
{
    internal override void Process(CoapOutbound item)
    {
        if (item.Channel is null || (item.Message is null && item.Encoded.IsEmpty))
        {
            throw new InvalidOperationException(
                "The Handler returned an item without channel or message. Set CoapOutbound.Channel and Message, with type, "
                    + "Message ID and token.");
        }

        Offer(item);
    }
}
