using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Cluster.Hosting;

/// <summary>The builder that <c>AddCoapState</c> returns.</summary>
internal sealed class ClusterBuilder(IServiceCollection services) : ICoapClusterBuilder
{
    public IServiceCollection Services { get; } = services;
}
