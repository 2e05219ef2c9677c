using CoAP.NET.Hosting;

namespace CoAP.NET;

/// <summary>
/// Says who may use routes. Requirements of groups and routes add up; <see cref="AllowAnonymous"/> takes back what was required further
/// outside or before. A requirement stands among the filters where it was added: those that were added before, and those of groups around,
/// run before it.
/// </summary>
public static class CoapAuthorizationExtensions
{
    /// <summary>
    /// Serves only requests that meet the default policy, <see cref="CoapAuthorizationOptions.DefaultPolicy"/>: by default those of peers
    /// of which the transport proved who they are. For a whole server: <c>server.Routes.RequireAuthorization()</c>.
    /// </summary>
    /// <typeparam name="TSelf">Route or group.</typeparam>
    /// <param name="routes">The route or group.</param>
    /// <returns>The route or group.</returns>
    public static TSelf RequireAuthorization<TSelf>(this CoapRouteConventions<TSelf> routes)
        where TSelf : CoapRouteConventions<TSelf> => Add(routes, new CoapAuthorizationMetadata(null, null));

    /// <summary>
    /// Serves only requests that meet policies of <c>services.AddCoapAuthorization(...)</c>. A name that is not known is answered 5.00 and
    /// logged.
    /// </summary>
    /// <typeparam name="TSelf">Route or group.</typeparam>
    /// <param name="routes">The route or group.</param>
    /// <param name="policies">The names of the policies, all of which must be met; at least one.</param>
    /// <returns>The route or group.</returns>
    /// <exception cref="ArgumentException">There is none, or an empty one.</exception>
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
    /// <typeparam name="TSelf">Route or group.</typeparam>
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
    /// <typeparam name="TSelf">Route or group.</typeparam>
    /// <param name="routes">The route or group.</param>
    /// <param name="build">Adds requirements, at least one.</param>
    /// <returns>The route or group.</returns>
    /// <exception cref="InvalidOperationException">No requirement was added.</exception>
    public static TSelf RequireAuthorization<TSelf>(this CoapRouteConventions<TSelf> routes, Action<CoapAuthorizationPolicyBuilder> build)
        where TSelf : CoapRouteConventions<TSelf> => RequireAuthorization(routes, CoapAuthorizationPolicy.Make(build));

    /// <summary>
    /// Serves everybody, whatever groups around or earlier calls require. What is required after it or further inside holds.
    /// </summary>
    /// <typeparam name="TSelf">Route or group.</typeparam>
    /// <param name="routes">The route or group.</param>
    /// <returns>The route or group.</returns>
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
