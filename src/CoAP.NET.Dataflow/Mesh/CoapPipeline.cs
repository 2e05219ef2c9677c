using System.Threading.Tasks.Dataflow;
using CoAP.NET.Blockwise;
using CoAP.NET.Exchanges;
using CoAP.NET.Groups;
using CoAP.NET.Messaging;
using CoAP.NET.Observing;
using CoAP.NET.Resources;
using CoAP.NET.Serialization;
using CoAP.NET.Signalling;
using CoAP.NET.Transports;

namespace CoAP.NET.Mesh;

/// <summary>The mesh of one shard: the stages, linked with <c>LinkTo</c>. It holds no protocol rule. Users link in through <see cref="CoapPipelineOptions"/>.</summary>
internal sealed class CoapPipeline
{
    private static readonly DataflowLinkOptions s_propagate = new() { PropagateCompletion = true };

    private readonly CoapEnvironment _environment;
    private readonly CoapPipelineOptions _options;
    private readonly List<Action> _abandon = [];
    private bool _stopping;

    public CoapPipeline(CoapShard shard, PipelineParts parts)
    {
        _environment = shard.Environment;
        _options = parts.Options;
        Shard = shard;
        Messages = new MessageLayer(shard, parts.ShardCount, parts.GroupMessageIds);
        Signalling = new SignallingLayer(shard, Messages);
        Exchanges = new ExchangeLayer(shard);
        Blockwise = new BlockwiseServing(shard, parts.Bodies, parts.Routes);
        Observers = new ObserverLayer(shard, parts.Observers, parts.ShardCount);
        Channels = new ChannelTable(shard, new ChannelOwner(Messages, Blockwise.Bodies, _environment), parts.ShardCount);
        Connections = parts.Connections;

        TransportOutbound transportOut = new(_environment);
        ChannelOutbound channelOut = new(shard);
        SerializerOutbound serializerOut = new(_environment, parts.Serializer, parts.Buffers, parts.StreamSerializer, parts.WebSocketSerializer);
        MessagingOut = new MessagingOutbound(shard, Messages, Signalling);
        ExchangesOut = new ExchangesOutbound(
            shard, Exchanges, Channels, MessagingOut, parts.State, Blockwise.Answering, Observers, parts.Serializer, parts.StreamSerializer, parts.Groups);
        Resource = new ResourceInbound(_environment, parts.Routes, parts.Served, ExchangesOut);
        ExchangesInbound exchangesIn = new(
            shard, Exchanges, ExchangesOut, parts.State, parts.GroupRequests, Blockwise, Observers, parts.Connections);
        MessagingIn = new MessagingInbound(shard, Messages, Signalling);
        SerializerInbound serializerIn = new(_environment, parts.Serializer, parts.StreamSerializer, parts.WebSocketSerializer);
        ChannelInbound channelIn = new(shard, Channels, parts.Hash);
        TransportIn = new TransportInbound(_environment);

        shard.Drain.Attach(MessagingOut, MessagingIn, ExchangesOut, exchangesIn);
        _abandon.Add(TransportIn.Abandon);
        shard.LendsMessages = !_options.At(CoapSeams.ExchangesToMessaging).Any() && !_options.At(CoapSeams.MessagingToSerializer).Any();
        Link(TransportIn, channelIn, CoapSeams.TransportToChannel);
        Link(channelIn, serializerIn, CoapSeams.ChannelToSerializer);
        Link(serializerIn, MessagingIn, CoapSeams.SerializerToMessaging);
        Link(MessagingIn, exchangesIn, CoapSeams.MessagingToExchanges);
        Link(exchangesIn, Resource, CoapSeams.ExchangesToResource);

        Link(Resource, ExchangesOut, CoapSeams.ResourceToExchanges);
        Link(ExchangesOut, MessagingOut, CoapSeams.ExchangesToMessaging);
        Link(MessagingOut, serializerOut, CoapSeams.MessagingToSerializer);
        Link(serializerOut, channelOut, CoapSeams.SerializerToChannel);
        Link(channelOut, transportOut, CoapSeams.ChannelToTransport);

        Completion = transportOut.Completion;
    }

    public CoapShard Shard { get; }

    /// <summary>The stage that runs handlers.</summary>
    public ResourceInbound Resource { get; }

    public ChannelTable Channels { get; }

    public MessageLayer Messages { get; }

    public SignallingLayer Signalling { get; }

    /// <summary>The connections of the endpoint, those of other shards too.</summary>
    public ConnectionTable Connections { get; }

    public ExchangeLayer Exchanges { get; }

    public BlockwiseServing Blockwise { get; }

    public BodyLayer Bodies => Blockwise.Bodies;

    public ObserverLayer Observers { get; }

    public TransportInbound TransportIn { get; }

    public MessagingInbound MessagingIn { get; }

    public MessagingOutbound MessagingOut { get; }

    public ExchangesOutbound ExchangesOut { get; }

    /// <summary>Where requests of our clients enter.</summary>
    public ClientSender Sender => ExchangesOut.Sender;

    /// <summary>Ends when the last block completed.</summary>
    public Task Completion { get; }

    /// <summary>Completes the blocks one after another, from the socket up and back down to it.</summary>
    public Task CompleteAsync()
    {
        Volatile.Write(ref _stopping, true);
        TransportIn.Complete();
        return Completion;
    }

    /// <summary>Ends the blocks without waiting for what is inside them: user code that never returns.</summary>
    public void Abandon() => _abandon.ForEach(abandon => abandon());

    private void Link<T>(ISourceBlock<T> source, InlineTarget<T> target, CoapSeam<T> seam)
    {
        _abandon.Add(target.Abandon);
        foreach (Func<IPropagatorBlock<T, T>> factory in _options.At(seam))
        {
            IPropagatorBlock<T, T> block = factory() ?? throw new InvalidOperationException($"The factory of the block at the seam {seam} gave null.");
            source.LinkTo(new UserTarget<T>(block), s_propagate);
            Watch(block, seam.Name);
            source = block;
        }

        source.LinkTo(target, s_propagate);
    }

    // A block that ended while the endpoint runs leaves a server that is up and deaf: better to fail aloud.
    private void Watch(IDataflowBlock block, string seam)
    {
        _ = block.Completion.ContinueWith(
            completion =>
            {
                if (!Volatile.Read(ref _stopping))
                {
                    Shard.Drain.Fault(new CoapException(
                        $"The block at the seam {seam} {(completion.IsFaulted ? "faulted" : "completed")} while the endpoint was running.",
                        completion.Exception?.InnerException));
                }
            },
            CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
    }
}
