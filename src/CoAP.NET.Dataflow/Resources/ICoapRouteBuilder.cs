namespace CoAP.NET;

/// <summary>Maps handlers to paths: a server, or a group of routes.</summary>
/// <remarks>The mapping methods are extensions: <c>MapGet</c>, <c>MapPost</c>, <c>Map</c>, <c>MapGroup</c>.</remarks>
public interface ICoapRouteBuilder
{
    /// <summary>The group of new routes.</summary>
    CoapRouteGroup Routes { get; }
}
