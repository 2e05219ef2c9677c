using CoAP.NET.Blockwise.Server;
using CoAP.NET.Channels;
using CoAP.NET.Exchanges;
using CoAP.NET.Formats;
using CoAP.NET.Groups;
using CoAP.NET.Messaging;
using CoAP.NET.Observing.Server;
using CoAP.NET.Resources;
using CoAP.NET.Transports;

namespace CoAP.NET.Composition.Stages;

/// <summary>The objects that the pipelines of an endpoint share.</summary>
internal sealed class PipelineParts
{
    public required CoapPipelineOptions Options { get; init; }

    public required int ShardCount { get; init; }

    public required CoapAddressHash Hash { get; init; }

    public required ConnectionTable Connections { get; init; }

    public required MessageFormats Formats { get; init; }

    public required CoapDatagramPool Buffers { get; init; }

    public required StatelessReceivers Stateless { get; init; }

    public required EndpointState State { get; init; }

    public required RouteTable Routes { get; init; }

    public required RequestRules Rules { get; init; }

    public required RunningRequestCounter Served { get; init; }

    public required BlockwiseBudgets Bodies { get; init; }

    /// <summary>Q-Block1 and Q-Block2; null for none.</summary>
    public required QBlockFeature? QBlock { get; init; }

    public required GroupResponseSettings Groups { get; init; }

    public required GroupRequests GroupRequests { get; init; }

    public required GroupMessageIds GroupMessageIds { get; init; }

    public required ObserverQuota Observers { get; init; }

    public required ObserverEvents ObserverEvents { get; init; }
}
