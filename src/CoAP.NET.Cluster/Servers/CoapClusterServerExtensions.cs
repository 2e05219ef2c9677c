using CoAP.NET.Dtls;

namespace CoAP.NET.Cluster;

/// <summary>Adds servers to a cluster. With a host, call <c>AddCoapServer().UseCluster()</c> instead.</summary>
public static class CoapClusterServerExtensions
{
    /// <summary>
    /// Adds the server that is created with these options to a cluster: the observers of its resources outlive the process, and so do its
    /// DTLS sessions if <see cref="CoapDtlsEndpointExtensions.UseDtls"/> was called before. Then create the server, and call
    /// <see cref="CoapCluster.Attach"/>.
    /// </summary>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="cluster">The cluster. Dispose of it after the server.</param>
    /// <param name="server">The name of the server, which tells it from others of the process: at most 64 bytes of UTF-8, the same after a
    /// restart and on every node.</param>
    /// <returns><paramref name="options"/>.</returns>
    /// <exception cref="ArgumentException">The name is too long.</exception>
    /// <exception cref="InvalidOperationException">Observers or sessions are kept elsewhere already.</exception>
    /// <exception cref="ObjectDisposedException">The cluster has ended.</exception>
    public static CoapEndpointOptions UseCluster(this CoapEndpointOptions options, CoapCluster cluster, string server = "")
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(cluster);
        cluster.Servers.Use(options, server);
        return options;
    }

    /// <summary>
    /// Adds the DTLS server that is created with these options to a cluster: its sessions outlive the process. For applications that create
    /// a <see cref="CoapDtlsTransport"/> themselves; <see cref="UseCluster(CoapEndpointOptions, CoapCluster, string)"/> calls it.
    /// </summary>
    /// <param name="options">The options of the DTLS server.</param>
    /// <param name="cluster">The cluster. Dispose of it after the server.</param>
    /// <param name="server">The name of the server; the same as that of its endpoint.</param>
    /// <returns><paramref name="options"/>.</returns>
    /// <exception cref="ArgumentException">The name is too long.</exception>
    /// <exception cref="InvalidOperationException">Sessions are kept elsewhere already.</exception>
    /// <exception cref="ObjectDisposedException">The cluster has ended.</exception>
    public static CoapDtlsServerOptions UseCluster(this CoapDtlsServerOptions options, CoapCluster cluster, string server = "")
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(cluster);
        cluster.Servers.Use(options, server);
        return options;
    }
}
