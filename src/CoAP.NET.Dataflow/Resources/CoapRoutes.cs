using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>
/// Routes that are there before the endpoint that serves them, so that they can be mapped while an application is put together.
/// Hand them to one endpoint by <see cref="CoapEndpointOptions.Routes"/>.
/// </summary>
public sealed class CoapRoutes : ICoapRouteBuilder
{
    private int _isTaken;

    /// <summary>The group of all routes: what it says holds for every route that says nothing else.</summary>
    public CoapRouteGroup Routes => Table.Root;

    internal RouteTable Table { get; } = new();

    /// <summary>Hands the table to an endpoint.</summary>
    /// <exception cref="InvalidOperationException">Another endpoint has it.</exception>
    internal RouteTable Take() => Interlocked.Exchange(ref _isTaken, 1) == 0
        ? Table
        : throw new InvalidOperationException(
            "These routes belong to another endpoint already: who observes them is known there. Make a CoapRoutes for each endpoint.");
}
