using CoAP.NET.Cluster.Records;
using CoAP.NET.Orleans.Devices;
using CoAP.NET.Orleans.Nodes;
using Microsoft.Extensions.DependencyInjection;
using Orleans.Configuration;
using Orleans.Connections.Security;
using Orleans.Serialization;

namespace Orleans.Hosting;

/// <summary>Lets applications outside of the silos send requests to devices.</summary>
public static class CoapClientBuilderExtensions
{
    /// <summary>Lets an Orleans client connect to silos with <see cref="CoapSiloBuilderExtensions.AddCoap"/>.</summary>
    /// <remarks>
    /// Its grains are <see cref="CoAP.NET.Orleans.IDeviceGrain"/>. A program that has a secret of the cluster can do what its silos can:
    /// protect the client like one of them.
    /// </remarks>
    /// <param name="client">The client.</param>
    /// <param name="secrets">The secrets of the cluster: the current one, and while it is being replaced the previous one
    /// (<see cref="CoAP.NET.Cluster.CoapClusterOptions.Secrets"/>).</param>
    /// <returns>The client.</returns>
    /// <exception cref="ArgumentException">There is no secret, or one has not 32 bytes.</exception>
    public static IClientBuilder AddCoap(this IClientBuilder client, params IReadOnlyList<ReadOnlyMemory<byte>> secrets)
    {
        ArgumentNullException.ThrowIfNull(client);
        if (ClusterSecrets.FindFault(secrets) is { } fault)
        {
            throw new ArgumentException(fault, nameof(secrets));
        }

        client.Services.AddSerializer(static serializer => serializer.AddAssembly(typeof(DeviceGrain).Assembly));
        SiloCertificate certificate = new(secrets);
        client.Services.AddSingleton(_ => certificate);
        client.Services.Configure<ClientConnectionOptions>(options => options.ConfigureConnection(connection =>
        {
            TlsOptions tls = new();
            certificate.Configure(tls);
            connection.UseClientTls(tls);
        }));
        return client;
    }
}
