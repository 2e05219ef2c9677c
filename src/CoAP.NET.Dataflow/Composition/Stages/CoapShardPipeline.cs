using System.Threading.Tasks.Dataflow;
using CoAP.NET.Blockwise.Server;
using CoAP.NET.Channels;
using CoAP.NET.Exchanges;
using CoAP.NET.Groups;
using CoAP.NET.Messaging;
using CoAP.NET.Observing.Server;
using CoAP.NET.Signalling;
using CoAP.NET.Transports;

namespace CoAP.NET.Composition.Stages;

/// <summary>
/// The mesh of one shard: creates and links the blocks of the five stages. It contains no protocol rule and does not change after the
/// constructor. <see cref="MeshWiring"/> inserts the blocks of the application (<see cref="CoapPipelineOptions"/>) between the stages.
/// </summary>
internal sealed class CoapShardPipeline
{
    private readonly MeshWiring _wiring;
    private readonly HandlerStagePorts _handler;

    public CoapShardPipeline(CoapShard shard, PipelineParts parts)
    {
        CoapEnvironment environment = shard.Environment;
        Shard = shard;
        Connections = parts.Connections;

        // The state of peers and messages. These state machines know no block: they leave their effects with the shard.
        Messages = new MessageLayer(shard, parts.ShardCount, parts.GroupMessageIds);
        Signalling = new SignallingLayer(shard, Messages);
        Exchanges = new ExchangeLayer(shard);
        Blockwise = new BlockwiseRequestReceiver(shard, parts.Bodies, parts.Routes, parts.QBlock is { } qblock ? qblock.MakeServer : null);
        Observers = new ObserverTable(shard, parts.Observers, parts.ShardCount, parts.ObserverEvents);
        Channels = new ChannelTable(shard, parts.ShardCount);

        // The blocks, from the last one to the first. Three of them refer to a later one, besides the links: a client's requests enter at
        // ExchangesOut, and answers that a block of the application did not take bypass it.
        TransportOutboundBlock transportOut = new(environment);
        ChannelOutboundBlock channelOut = new(shard);
        MessagingOut = new MessagingOutboundBlock(shard, Messages, Signalling);
        ExchangesOut = new ExchangesOutboundBlock(
            shard, Exchanges, Channels, MessagingOut, parts.State, Blockwise.Responder, Observers, parts.Formats, parts.Groups);
        ExchangesInboundBlock exchangesIn = new(
            shard, Exchanges, ExchangesOut, parts.State, parts.GroupRequests, Blockwise, Observers, parts.Connections, parts.Rules,
            parts.Stateless);
        MessagingIn = new MessagingInboundBlock(shard, Messages, Signalling);
        ChannelInboundBlock channelIn = new(shard, Channels, parts.Hash);
        TransportIn = new TransportInboundBlock(environment);
        _wiring = new MeshWiring(shard, parts.Options, TransportIn);

        // The stages that blocks of the application may replace.
        MessagingAndExchangesStage standard = new(MessagingIn, exchangesIn, ExchangesOut, MessagingOut);
        CoapStageContext context = new(this, parts, channelIn, standard);
        ChannelStagePorts channel = ChannelStagePorts.Make(parts.Options.Make(CoapStages.Channel, context), channelIn, channelOut, _wiring);
        SerializerStage serializer =
            SerializerStage.Make(parts.Options.Make(CoapStages.Serializer, context), context, environment, _wiring);
        CoapHandlerStageBlocks? ownHandler = parts.Options.Make(CoapStages.Handler, context);
        Resource = ResourceStage.Make(parts.Options.Make(CoapStages.Resource, context), environment, parts, ExchangesOut, _wiring);

        CoapMessageProtector? protection = parts.Options.Make(CoapStages.Protection, context);
        shard.Protection = protection;

        // The only circle: state machines leave effects with the shard, which exists before the blocks that carry them out.
        shard.Effects = standard;
        shard.MessageTimers = Messages;
        shard.Eviction.Attach(Messages, Blockwise);

        _handler = new HandlerStagePorts(ownHandler, standard, shard, _wiring);
        _wiring.Link(TransportIn, channel.Received, CoapStageLinks.TransportToChannel);
        _wiring.Link(channel.Attached, serializer.Datagrams, CoapStageLinks.ChannelToSerializer);
        _wiring.Link(serializer.Messages, _handler.Messages, CoapStageLinks.SerializerToMessaging);
        if (protection is null)
        {
            _wiring.Link(MessagingIn, exchangesIn, CoapStageLinks.MessagingToExchanges);
        }
        else
        {
            _wiring.LinkWithin(MessagingIn, protection.Inbound, CoapStages.Protection.Name);
            _wiring.Link(protection.Inbound, exchangesIn, CoapStageLinks.MessagingToExchanges);
        }

        _wiring.Link(_handler.Requests, Resource.Requests, CoapStageLinks.ExchangesToResource);

        _wiring.Link(Resource.Replies, _handler.Replies, CoapStageLinks.ResourceToExchanges);
        if (protection is null)
        {
            _wiring.Link(ExchangesOut, MessagingOut, CoapStageLinks.ExchangesToMessaging);
        }
        else
        {
            _wiring.Link(ExchangesOut, protection.Outbound, CoapStageLinks.ExchangesToMessaging);
            _wiring.LinkWithin(protection.Outbound, MessagingOut, CoapStages.Protection.Name);
        }

        _wiring.Link(_handler.Outgoing, serializer.Outgoing, CoapStageLinks.MessagingToSerializer);
        _wiring.Link(serializer.Encoded, channel.Outgoing, CoapStageLinks.SerializerToChannel);
        _wiring.Link(channel.Addressed, transportOut, CoapStageLinks.ChannelToTransport);
        _wiring.Watch();
    }

    public CoapShard Shard { get; }

    /// <summary>The stage that runs handlers, or a router of the application.</summary>
    public ResourceStage Resource { get; }

    public ChannelTable Channels { get; }

    public MessageLayer Messages { get; }

    public SignallingLayer Signalling { get; }

    /// <summary>The connections of the endpoint, including those of other shards.</summary>
    public ConnectionTable Connections { get; }

    public ExchangeLayer Exchanges { get; }

    public BlockwiseRequestReceiver Blockwise { get; }

    public ObserverTable Observers { get; }

    public TransportInboundBlock TransportIn { get; }

    public MessagingInboundBlock MessagingIn { get; }

    public MessagingOutboundBlock MessagingOut { get; }

    public ExchangesOutboundBlock ExchangesOut { get; }

    public ClientSender Sender => ExchangesOut.Sender;

    /// <summary>The links in the order of the path.</summary>
    public IReadOnlyList<MeshLink> Links => _wiring.Links;

    /// <inheritdoc cref="MeshWiring.Insert"/>
    public void Insert<T>(IPropagatorBlock<T, T> block, CoapStageLink<T> link) => _wiring.Insert(block, link);

    /// <inheritdoc cref="MeshWiring.RemoveAsync"/>
    public Task RemoveAsync<T>(IPropagatorBlock<T, T> block, StopDeadline time) => _wiring.RemoveAsync(block, time);

    /// <summary>The errors of the application's blocks that ended with one.</summary>
    public IEnumerable<Exception> Errors => _wiring.Errors;

    // An endpoint that stops completes the blocks from the socket up and back down, in these steps. Blocks of the application complete when
    // they are empty. The stages of the Handler stay open, because the ends of connections, answers and last frames still pass them.

    /// <summary>
    /// Ends receiving: nothing more is accepted, and what was received reaches the Resource stage. Outcomes of sent messages and ends of
    /// connections still reach the Exchanges stage.
    /// </summary>
    /// <param name="time">The time for it; here and below, blocks that are not empty by then are abandoned.</param>
    public async Task EndReceivingAsync(StopDeadline time)
    {
        await _handler.EndReceivingAsync(TransportIn, time).ConfigureAwait(false);
        await _wiring.CompleteBetweenAsync(_handler.Requests, Resource.Entry, time).ConfigureAwait(false);
    }

    /// <summary>Ends serving: a router of the application completes, and answers reach the Exchanges stage.</summary>
    public Task EndServingAsync(StopDeadline time) => _handler.EndServingAsync(Resource.Entry, time);

    /// <summary>Ends answering: messages reach the Messaging stage.</summary>
    public Task EndAnsweringAsync() => _handler.EndAnsweringAsync();

    /// <summary>Ends sending: what leaves the Handler stage reaches the transports.</summary>
    public Task EndSendingAsync(StopDeadline time) => _wiring.CompleteAsync(MessagingOut, null, time);

    public async Task EndAsync(StopDeadline time)
    {
        await _wiring.CompleteAsync(TransportIn, null, time).ConfigureAwait(false);
        await _wiring.CompleteAsync(MessagingIn, null, time).ConfigureAwait(false);
        await _wiring.CompleteAsync(ExchangesOut, null, time).ConfigureAwait(false);
    }
}
