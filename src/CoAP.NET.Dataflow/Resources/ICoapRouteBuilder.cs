namespace CoAP.NET;

/// <summary>
/// Where handlers are mapped to paths: a server, or a group of routes. The methods to type are extensions: <c>MapGet</c>, <c>MapPost</c>,
/// <c>Map</c>, <c>MapGroup</c>.
/// </summary>
public interface ICoapRouteBuilder
{
    /// <summary>The group that new routes go to.</summary>
    CoapRouteGroup Routes { get; }
}
