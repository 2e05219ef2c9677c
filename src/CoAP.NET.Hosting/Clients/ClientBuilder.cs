using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting.Clients;

internal sealed class ClientBuilder(string name, IServiceCollection services) : ICoapClientBuilder
{
    public string Name => name;

    public IServiceCollection Services => services;
}
