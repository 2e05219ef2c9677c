using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>Who may ask an endpoint: what the authorization middleware would say, of the identity of a CoAP client.</summary>
/// <param name="endpoint">The endpoint.</param>
/// <param name="services">Those of the application.</param>
internal sealed class EndpointAuthorization(RouteEndpoint endpoint, IServiceProvider services)
{
    private static readonly CoapResult s_unauthorized = CoapResults.Unauthorized("Show who you are.");
    private static readonly CoapResult s_forbidden = CoapResults.Forbidden();

    private Task<AuthorizationPolicy?>? _policy;

    /// <summary>Why its policy can never be met by a client of CoAP, and what to do; null where it can.</summary>
    public async Task<string?> CheckAsync()
    {
        try
        {
            AuthorizationPolicy? policy = await FindAsync().ConfigureAwait(false);
            return policy is { AuthenticationSchemes.Count: > 0 }
                && !policy.AuthenticationSchemes.Contains(CoapAuthenticationDefaults.AuthenticationScheme, StringComparer.Ordinal)
                ? $"Its policy asks for the authentication scheme {string.Join(" or ", policy.AuthenticationSchemes)}, and clients of CoAP "
                    + $"are authenticated by their transport. Add the scheme '{CoapAuthenticationDefaults.AuthenticationScheme}' to the "
                    + "policy (services.AddAuthentication().AddCoap()), or leave schemes out."
                : null;
        }
        catch (InvalidOperationException exception)
        {
            // Such as a policy that nobody added.
            return exception.Message;
        }
    }

    /// <summary>Decides about the user of a request.</summary>
    /// <returns>4.01 or 4.03; null when the endpoint may be asked.</returns>
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
                : throw new InvalidOperationException("It requires authorization, and the application has none. Call "
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
