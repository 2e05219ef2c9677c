using CoAP.NET.Dtls;

namespace CoAP.NET.Cluster;

/// <summary>Adds servers to a cluster. With a host, call <c>AddCoapServer().UseCluster()</c> instead.</summary>
public static class CoapClusterServerExtensions
{
    /// <summary>Adds the server created from these options to a cluster: the observers of its resources outlive the process.</summary>
    /// <remarks>
    /// Its DTLS sessions also do if <see cref="CoapDtlsEndpointExtensions.UseDtls"/> was called before. Then create the server, and call
    /// <see cref="CoapCluster.Attach"/>.
    /// </remarks>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="cluster">The cluster. Dispose of it after the server.</param>
    /// <param name="server">The name that distinguishes the server from others of the process: at most 64 bytes of UTF-8, the same after a
    /// restart and on every node.</param>
    /// <returns><paramref name="options"/>.</returns>
    /// <exception cref="ArgumentException">The name is too long.</exception>
    /// <exception cref="InvalidOperationException">Observers or sessions are already kept elsewhere.</exception>
    /// <exception cref="ObjectDisposedException">The cluster is disposed.</exception>
    public static CoapEndpointOptions UseCluster(this CoapEndpointOptions options, CoapCluster cluster, string server = "")
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(cluster);
        cluster.Servers.Use(options, server);
        return options;
    }

    /// <summary>Adds the DTLS server created from these options to a cluster: its sessions outlive the process.</summary>
    /// <remarks>
    /// Meant for applications that create a <see cref="CoapDtlsTransport"/> themselves;
    /// <see cref="UseCluster(CoapEndpointOptions, CoapCluster, string)"/> calls it.
    /// </remarks>
    /// <param name="options">The options of the DTLS server.</param>
    /// <param name="cluster">The cluster. Dispose of it after the server.</param>
    /// <param name="server">The name of the server; the same as that of its endpoint.</param>
    /// <returns><paramref name="options"/>.</returns>
    /// <exception cref="ArgumentException">The name is too long.</exception>
    /// <exception cref="InvalidOperationException">Sessions are already kept elsewhere.</exception>
    /// <exception cref="ObjectDisposedException">The cluster is disposed.</exception>
    public static CoapDtlsServerOptions UseCluster(this CoapDtlsServerOptions options, CoapCluster cluster, string server = "")
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(cluster);
        cluster.Servers.Use(options, server);
        return options;
    }
}
