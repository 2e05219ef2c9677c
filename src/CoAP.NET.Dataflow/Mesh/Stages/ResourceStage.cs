using System.Threading.Tasks.Dataflow;
using CoAP.NET.Exchanges;
using CoAP.NET.Resources;

namespace CoAP.NET.Mesh;

/// <summary>The two ends of the Resource stage: of its block, or of what stands around a router of a user.</summary>
internal sealed class ResourceStage
{
    private readonly ResourceInbound? _routes;
    private readonly RouterOutbound? _router;

    private ResourceStage(ResourceInbound routes)
    {
        _routes = routes;
        Requests = routes;
        Replies = routes;
    }

    private ResourceStage(RouterInbound requests, RouterOutbound replies)
    {
        _router = replies;
        Requests = requests;
        Replies = replies;
    }

    /// <summary>Where requests come in.</summary>
    public ITargetBlock<CoapExchange> Requests { get; }

    /// <summary>Where answers leave.</summary>
    public ISourceBlock<CoapReply> Replies { get; }

    /// <summary>
    /// Makes the stage; a router of a user is linked between two blocks that keep the bounds and that each request has one answer.
    /// </summary>
    public static ResourceStage Make(
        IPropagatorBlock<CoapExchange, CoapReply>? router, CoapEnvironment environment, PipelineParts parts, ExchangesOutbound exchangesOut,
        MeshWiring wiring)
    {
        if (router is null)
        {
            return new ResourceStage(new ResourceInbound(environment, parts.Routes, parts.Served, exchangesOut));
        }

        RouterOutbound replies = new(environment, parts.Served, exchangesOut);
        RouterInbound requests = new(environment, parts.Served, replies);
        wiring.LinkWithin(requests, router, CoapStages.Resource.Name);
        wiring.LinkWithin(router, replies, CoapStages.Resource.Name);
        return new ResourceStage(requests, replies);
    }

    /// <summary>How many requests have a handler that awaits, wait for their turn, or are with the router.</summary>
    public int Unanswered => _routes?.Unanswered ?? _router!.Unanswered;

    /// <summary>The endpoint stops: requests that have no answer yet get 5.03. Later answers are dropped.</summary>
    public void RefuseUnanswered()
    {
        _routes?.RefuseUnanswered();
        _router?.RefuseUnanswered();
    }
}
