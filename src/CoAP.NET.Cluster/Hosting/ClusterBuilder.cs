using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Cluster;

internal sealed class ClusterBuilder(IServiceCollection services) : ICoapClusterBuilder
{
    public IServiceCollection Services { get; } = services;
}
