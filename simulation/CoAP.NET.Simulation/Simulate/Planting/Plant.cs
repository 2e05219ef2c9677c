namespace CoAP.NET.Simulation.Simulate;

/// <summary>
/// A defect that is put in on purpose, at a link or around a handler, to see that the checks find it. One object for one run.
/// </summary>
internal abstract class Plant
{
    /// <summary>What is wrong, in a few words.</summary>
    public abstract string Summary { get; }

    /// <summary>By which check it has to be found.</summary>
    public abstract CheckKind FoundBy { get; }

    /// <summary>Called once, when the run begins.</summary>
    public virtual void Begin(SimulatedWorld world)
    {
    }

    /// <summary>Called for each endpoint before it is made.</summary>
    public virtual void Configure(SimulatedNode node, CoapEndpointOptions options)
    {
    }

    /// <summary>Called for each datagram that is sent.</summary>
    public virtual NetworkVerdict? OnPacket(NetworkPacket packet) => null;

    /// <summary>Sends a request.</summary>
    public virtual Task<CoapResponse> SendAsync(Step step, CoapRequest request,
        Func<CoapRequest, CancellationToken, Task<CoapResponse>> send, CancellationToken cancellationToken) =>
            send(request, cancellationToken);

    /// <summary>Serves a request.</summary>
    public virtual ValueTask<CoapResult> ServeAsync(SimulatedNode node, Step asked, Func<ValueTask<CoapResult>> serve) => serve();

    /// <summary>The value of an observable resource that is shown; null for the right one.</summary>
    public virtual int? Show(SimulatedNode node, SimulatedRoute route, CoapRequestContext request) => null;
}
