using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>Routes that exist before their endpoint, so that they can be mapped while an application is composed.</summary>
/// <remarks>Pass them to one endpoint with <see cref="CoapEndpointOptions.Routes"/>.</remarks>
public sealed class CoapRoutes : ICoapRouteBuilder
{
    private int _isTaken;

    /// <summary>The root group: its settings apply to every route that does not override them.</summary>
    public CoapRouteGroup Routes => Table.Root;

    internal RouteTable Table { get; } = new();

    /// <summary>Passes the table to an endpoint.</summary>
    /// <exception cref="InvalidOperationException">Another endpoint has it.</exception>
    internal RouteTable Take() => Interlocked.Exchange(ref _isTaken, 1) == 0
        ? Table
        : throw new InvalidOperationException(
            "Another endpoint already uses these routes, and it has their observers. Create one CoapRoutes for each endpoint.");
}
