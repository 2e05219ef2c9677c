using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting.Server;

/// <summary>The builder that <c>AddCoapServer</c> returns.</summary>
internal sealed class ServerBuilder(ServerRegistration registration, IServiceCollection services) : ICoapServerBuilder
{
    public string Name => registration.Name;

    public IServiceCollection Services => services;

    public CoapRouteGroup Routes => registration.Routes.Routes;
}
