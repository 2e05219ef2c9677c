using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>
/// Authorizes the clients of an endpoint: applies the rules of the authorization middleware to the identity of a CoAP client.
/// </summary>
internal sealed class EndpointAuthorization(RouteEndpoint endpoint, IServiceProvider services)
{
    private static readonly CoapResult s_unauthorized = CoapResults.Unauthorized("The endpoint requires authentication.");
    private static readonly CoapResult s_forbidden = CoapResults.Forbidden();

    private Task<AuthorizationPolicy?>? _policy;

    /// <summary>Returns the reason why no CoAP client can ever meet the policy, and the remedy; null if one can.</summary>
    public async Task<string?> CheckAsync()
    {
        try
        {
            AuthorizationPolicy? policy = await FindAsync().ConfigureAwait(false);
            return policy is { AuthenticationSchemes.Count: > 0 }
                && !policy.AuthenticationSchemes.Contains(CoapAuthenticationDefaults.AuthenticationScheme, StringComparer.Ordinal)
                ? $"Its policy requires the authentication scheme {string.Join(" or ", policy.AuthenticationSchemes)}, and CoAP clients "
                    + $"are authenticated by their transport. Add the scheme '{CoapAuthenticationDefaults.AuthenticationScheme}' to the "
                    + "policy (services.AddAuthentication().AddCoap()), or remove the schemes."
                : null;
        }
        catch (InvalidOperationException exception)
        {
            // For example an unknown policy.
            return exception.Message;
        }
    }

    /// <summary>Authorizes the user of a request.</summary>
    /// <returns>4.01 or 4.03; null if access is granted.</returns>
    public async ValueTask<CoapResult?> RefuseAsync(HttpContext context)
    {
        Task<AuthorizationPolicy?> finding = _policy ?? FindAsync();
        AuthorizationPolicy? policy = await finding.ConfigureAwait(false);
        if (services.GetService<IAuthorizationPolicyProvider>() is null or { AllowsCachingPolicies: true })
        {
            _policy = finding;
        }

        if (policy is null)
        {
            return null;
        }

        AuthorizationResult result = await context.RequestServices.GetRequiredService<IAuthorizationService>()
            .AuthorizeAsync(context.User, context, policy).ConfigureAwait(false);
        return result.Succeeded ? null : context.User.Identity is { IsAuthenticated: true } ? s_forbidden : s_unauthorized;
    }

    private async Task<AuthorizationPolicy?> FindAsync()
    {
        EndpointMetadataCollection metadata = endpoint.Metadata;
        if (metadata.GetMetadata<IAllowAnonymous>() is not null)
        {
            return null;
        }

        IReadOnlyList<IAuthorizeData> data = metadata.GetOrderedMetadata<IAuthorizeData>();
        IReadOnlyList<AuthorizationPolicy> policies = metadata.GetOrderedMetadata<AuthorizationPolicy>();
        IReadOnlyList<IAuthorizationRequirementData> requirements = metadata.GetOrderedMetadata<IAuthorizationRequirementData>();
        if (services.GetService<IAuthorizationPolicyProvider>() is not { } provider)
        {
            return data.Count == 0 && policies.Count == 0 && requirements.Count == 0 ? null
                : throw new InvalidOperationException("The endpoint requires authorization, and the application has none. Call "
                    + "builder.Services.AddAuthorization().");
        }

        AuthorizationPolicy? policy = await AuthorizationPolicy.CombineAsync(provider, data, policies).ConfigureAwait(false);
        if (requirements.Count == 0)
        {
            return policy;
        }

        AuthorizationPolicyBuilder builder = new();
        builder.AddRequirements([.. requirements.SelectMany(static item => item.GetRequirements())]);
        return policy is null ? builder.Build() : AuthorizationPolicy.Combine(policy, builder.Build());
    }
}
