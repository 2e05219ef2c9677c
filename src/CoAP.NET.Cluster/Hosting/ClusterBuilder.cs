using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Cluster.Hosting;

internal sealed class ClusterBuilder(IServiceCollection services) : ICoapClusterBuilder
{
    public IServiceCollection Services { get; } = services;
}
