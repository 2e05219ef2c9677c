using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting;

/// <summary>The result of <c>AddCoapServer</c>: it maps routes like a <see cref="CoapServer"/>, before the container exists.</summary>
/// <remarks>Handlers find the services of their request in <see cref="CoapRequestContext.Services"/>.</remarks>
public interface ICoapServerBuilder : ICoapRouteBuilder
{
    /// <summary>The name of the server; empty for the one without a name.</summary>
    string Name { get; }

    /// <summary>The services of the application.</summary>
    IServiceCollection Services { get; }
}
