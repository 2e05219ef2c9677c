using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Cluster.Hosting;

/// <summary>Reads the configuration of the cluster into its options, before any user code.</summary>
internal sealed class ConfigureClusterOptions(ClusterSection section, IConfiguration? configuration) : IConfigureOptions<CoapClusterOptions>
{
    public void Configure(CoapClusterOptions options) => section.Read(configuration, options);
}
