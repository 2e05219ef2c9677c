using Microsoft.AspNetCore.Http.Timeouts;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>Finds the request timeouts of ASP.NET Core endpoints.</summary>
internal static class EndpointTimeouts
{
    /// <summary>Returns the time of <c>WithRequestTimeout</c>, otherwise the default.</summary>
    public static TimeSpan Of(RouteEndpoint endpoint, IServiceProvider services, TimeSpan otherwise)
    {
        if (endpoint.Metadata.GetMetadata<DisableRequestTimeoutAttribute>() is not null)
        {
            return Timeout.InfiniteTimeSpan;
        }

        RequestTimeoutAttribute? attribute = endpoint.Metadata.GetMetadata<RequestTimeoutAttribute>();
        RequestTimeoutPolicy? policy = endpoint.Metadata.GetMetadata<RequestTimeoutPolicy>();
        if (attribute?.PolicyName is { } name)
        {
            services.GetService<IOptions<RequestTimeoutOptions>>()?.Value.Policies.TryGetValue(name, out policy);
        }

        return attribute?.Timeout ?? policy?.Timeout ?? otherwise;
    }
}
