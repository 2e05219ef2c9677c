using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting;

/// <summary>
/// What <c>AddCoapServer</c> gives: routes are mapped on it as on a <see cref="CoapServer"/>, before the container exists. Handlers find
/// the services of their request in <see cref="CoapRequest.Services"/>.
/// </summary>
public interface ICoapServerBuilder : ICoapRouteBuilder
{
    /// <summary>The name of the server; empty for the one without a name.</summary>
    string Name { get; }

    /// <summary>Where services are registered.</summary>
    IServiceCollection Services { get; }
}
