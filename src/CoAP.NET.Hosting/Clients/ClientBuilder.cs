using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting.Clients;

/// <summary>The builder that <c>AddCoapClient</c> returns.</summary>
internal sealed class ClientBuilder(string name, IServiceCollection services) : ICoapClientBuilder
{
    public string Name => name;

    public IServiceCollection Services => services;
}
