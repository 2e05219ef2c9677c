using CoAP.NET.Hosting;
using CoAP.NET.Hosting.Authorization;

namespace CoAP.NET;

/// <summary>Adds authorization requirements to routes and groups.</summary>
/// <remarks>
/// Requirements of groups and routes add up; <see cref="AllowAnonymous"/> removes earlier requirements and those of outer groups. A
/// requirement runs as a filter at the place where you add it: after earlier filters and those of outer groups.
/// </remarks>
public static class CoapAuthorizationExtensions
{
    /// <summary>Serves only requests that meet the default policy, <see cref="CoapAuthorizationOptions.DefaultPolicy"/>.</summary>
    /// <typeparam name="TSelf">The type of the route or group.</typeparam>
    /// <param name="routes">The route or group.</param>
    /// <returns>The route or group.</returns>
    /// <remarks>
    /// The initial default policy requires a peer with a proven identity. For a whole server: <c>server.Routes.RequireAuthorization()</c>.
    /// </remarks>
    public static TSelf RequireAuthorization<TSelf>(this CoapRouteConventions<TSelf> routes)
        where TSelf : CoapRouteConventions<TSelf> => Add(routes, new CoapAuthorizationMetadata(null, null));

    /// <summary>Serves only requests that meet named policies of <c>services.AddCoapAuthorization(...)</c>.</summary>
    /// <typeparam name="TSelf">The type of the route or group.</typeparam>
    /// <param name="routes">The route or group.</param>
    /// <param name="policies">The names of the policies, all of which the request must meet; at least one.</param>
    /// <returns>The route or group.</returns>
    /// <exception cref="ArgumentException">There is none, or an empty one.</exception>
    /// <remarks>An unknown name leads to 5.00 and a log message.</remarks>
    public static TSelf RequireAuthorization<TSelf>(this CoapRouteConventions<TSelf> routes, params string[] policies)
        where TSelf : CoapRouteConventions<TSelf>
    {
        ArgumentNullException.ThrowIfNull(routes);
        ArgumentNullException.ThrowIfNull(policies);
        if (policies.Length == 0 || Array.Exists(policies, string.IsNullOrEmpty))
        {
            throw new ArgumentException("Name policies, or call RequireAuthorization() for the default one.", nameof(policies));
        }

        foreach (string policy in policies)
        {
            Add(routes, new CoapAuthorizationMetadata(policy, null));
        }

        return (TSelf)routes;
    }

    /// <summary>Serves only requests that meet a policy.</summary>
    /// <typeparam name="TSelf">The type of the route or group.</typeparam>
    /// <param name="routes">The route or group.</param>
    /// <param name="policy">The policy.</param>
    /// <returns>The route or group.</returns>
    public static TSelf RequireAuthorization<TSelf>(this CoapRouteConventions<TSelf> routes, CoapAuthorizationPolicy policy)
        where TSelf : CoapRouteConventions<TSelf>
    {
        ArgumentNullException.ThrowIfNull(policy);
        return Add(routes, new CoapAuthorizationMetadata(null, policy));
    }

    /// <summary>Serves only requests that meet a policy.</summary>
    /// <typeparam name="TSelf">The type of the route or group.</typeparam>
    /// <param name="routes">The route or group.</param>
    /// <param name="build">Adds requirements, at least one.</param>
    /// <returns>The route or group.</returns>
    /// <exception cref="InvalidOperationException">There is no requirement.</exception>
    public static TSelf RequireAuthorization<TSelf>(this CoapRouteConventions<TSelf> routes, Action<CoapAuthorizationPolicyBuilder> build)
        where TSelf : CoapRouteConventions<TSelf> => RequireAuthorization(routes, CoapAuthorizationPolicy.Make(build));

    /// <summary>Serves all peers, in spite of requirements of outer groups or earlier calls.</summary>
    /// <typeparam name="TSelf">The type of the route or group.</typeparam>
    /// <param name="routes">The route or group.</param>
    /// <returns>The route or group.</returns>
    /// <remarks>Later requirements, and those of inner groups, apply.</remarks>
    public static TSelf AllowAnonymous<TSelf>(this CoapRouteConventions<TSelf> routes)
        where TSelf : CoapRouteConventions<TSelf>
    {
        ArgumentNullException.ThrowIfNull(routes);
        return routes.WithMetadata(new CoapAnonymousMetadata());
    }

    private static TSelf Add<TSelf>(CoapRouteConventions<TSelf> routes, CoapAuthorizationMetadata metadata)
        where TSelf : CoapRouteConventions<TSelf>
    {
        ArgumentNullException.ThrowIfNull(routes);
        return routes.WithMetadata(metadata).AddFilterFactory(new AuthorizationFilter(metadata).Make, beforeBody: true);
    }
}
