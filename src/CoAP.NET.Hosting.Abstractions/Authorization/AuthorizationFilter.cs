using CoAP.NET.Settings;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Hosting.Authorization;

/// <summary>Runs before the handlers of a route or group and admits requests that meet a policy.</summary>
internal sealed class AuthorizationFilter(CoapAuthorizationMetadata metadata)
{
    // The same for all requests, after the first lookup.
    private CoapAuthorizationPolicy? _policy = metadata.Policy;

    /// <summary>
    /// Adds the policy before the next handler, unless the route admits all peers: the last setting of route and groups counts, from the
    /// outside in.
    /// </summary>
    public CoapHandler Make(CoapRouteInfo route, CoapHandler next)
    {
        bool isAnonymous = route.Metadata.SkipWhile(item => !ReferenceEquals(item, metadata))
            .Any(static item => item is CoapAnonymousMetadata);
        return isAnonymous
            ? next
            : (request, cancellationToken) => InvokeAsync(new CoapAuthorizationContext(request, route), next, cancellationToken);
    }

    private ValueTask<CoapResult> InvokeAsync(CoapAuthorizationContext context, CoapHandler next, CancellationToken cancellationToken)
    {
        ValueTask<CoapAuthorizationDecision> pending = (_policy ??= Find(context.Request)).AuthorizeAsync(context, cancellationToken);
        if (!pending.IsCompletedSuccessfully)
        {
            return AwaitAsync(pending, context, next, cancellationToken);
        }

        CoapAuthorizationDecision decision = pending.Result;
        return decision.Answer is { } answer ? new ValueTask<CoapResult>(answer) : next(context.Request, cancellationToken);
    }

    private static async ValueTask<CoapResult> AwaitAsync(
        ValueTask<CoapAuthorizationDecision> pending, CoapAuthorizationContext context, CoapHandler next,
        CancellationToken cancellationToken)
    {
        CoapAuthorizationDecision decision = await pending.ConfigureAwait(false);
        return decision.Answer ?? await next(context.Request, cancellationToken).ConfigureAwait(false);
    }

    private CoapAuthorizationPolicy Find(CoapRequestContext request)
    {
        if (metadata.PolicyName is not { } name)
        {
            return request.Services?.GetService<IOptions<CoapAuthorizationOptions>>()?.Value.MakeReadOnlyFor("a server").DefaultPolicy
                ?? CoapAuthorizationPolicy.Authenticated;
        }

        return RequestServiceResolver.Of(request, $"The policy {name}").GetRequiredService<IOptions<CoapAuthorizationOptions>>().Value
            .MakeReadOnlyFor("a server")
            .FindPolicy(name)
            ?? throw new InvalidOperationException(
                $"There is no authorization policy '{name}'. Add it by services.AddCoapAuthorization(options => "
                    + $"options.AddPolicy(\"{name}\", ...)).");
    }
}
