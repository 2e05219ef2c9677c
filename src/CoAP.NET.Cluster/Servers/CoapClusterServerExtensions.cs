using CoAP.NET.Dtls;

namespace CoAP.NET.Cluster;

/// <summary>Has servers take part in a cluster. With a host, <c>AddCoapServer().UseCluster()</c> does all of it.</summary>
public static class CoapClusterServerExtensions
{
    /// <summary>
    /// Has the server that is made of these options take part in a cluster: who observes its resources outlives the process, and so do its
    /// DTLS sessions, if <see cref="CoapDtlsEndpointExtensions.UseDtls"/> was called before. Then make the server, and call
    /// <see cref="CoapCluster.Attach"/>.
    /// </summary>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="cluster">The cluster, which must not end before the server.</param>
    /// <param name="server">Tells the servers of a process apart, each of which has sessions and observers of its own: a name of at most
    /// 64 bytes, the same after a restart and on every node.</param>
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
    /// Has the DTLS server that is made of these options take part in a cluster: its sessions outlive the process. For
    /// <see cref="CoapDtlsTransport"/>s of one's own; <see cref="UseCluster(CoapEndpointOptions, CoapCluster, string)"/> calls it.
    /// </summary>
    /// <param name="options">The options of the DTLS server.</param>
    /// <param name="cluster">The cluster, which must not end before the server.</param>
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
