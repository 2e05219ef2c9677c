using System.Threading.Tasks.Dataflow;
using CoAP.NET.Resources;

namespace CoAP.NET.Composition.Stages;

/// <summary>The two ends of the Resource stage: of its block, or of the blocks around a router of the application.</summary>
internal sealed class ResourceStage
{
    private readonly ResourceInboundBlock? _routes;
    private readonly UserRouterReplyBlock? _router;

    private ResourceStage(ResourceInboundBlock routes)
    {
        _routes = routes;
        Entry = routes;
        Requests = routes;
        Replies = routes;
    }

    private ResourceStage(UserRouterAdmissionBlock requests, UserRouterReplyBlock replies)
    {
        _router = replies;
        Entry = requests;
        Requests = requests;
        Replies = replies;
    }

    /// <summary>The first block of the stage.</summary>
    public InlineBlockBase Entry { get; }

    public ITargetBlock<CoapExchange> Requests { get; }

    public ISourceBlock<CoapServerReply> Replies { get; }

    /// <summary>
    /// Creates the stage. A router of the application is linked between two blocks that enforce the limits and exactly one answer per
    /// request.
    /// </summary>
    public static ResourceStage Make(
        IPropagatorBlock<CoapExchange, CoapServerReply>? router, CoapEnvironment environment, PipelineParts parts,
        InlineTarget<CoapServerReply> exchangesOut, MeshWiring wiring)
    {
        if (router is null)
        {
            return new ResourceStage(new ResourceInboundBlock(environment, parts.Routes, parts.Served, exchangesOut));
        }

        UserRouterReplyBlock replies = new(environment, parts.Served, exchangesOut);
        UserRouterAdmissionBlock requests = new(environment, parts.Served, replies);
        wiring.LinkWithin(requests, router, CoapStages.Resource.Name);
        wiring.LinkWithin(router, replies, CoapStages.Resource.Name);
        return new ResourceStage(requests, replies);
    }

    /// <summary>The number of requests that a handler awaits, that wait for their turn, or that are with the router.</summary>
    public int Unanswered => _routes?.Unanswered ?? _router!.Unanswered;

    /// <summary>Answers unanswered requests with 5.03 when the endpoint stops. Later answers are dropped.</summary>
    public void RefuseUnanswered()
    {
        _routes?.RefuseUnanswered();
        _router?.RefuseUnanswered();
    }
}
