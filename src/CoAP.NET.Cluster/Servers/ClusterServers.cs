using System.Text;
using CoAP.NET.Dtls;

namespace CoAP.NET.Cluster;

/// <summary>
/// The servers of this process that take part in a cluster: what their options are given before they are made, and who is told of them
/// afterwards. Each chapter has one line in each of the three methods that it needs. Thread-safe.
/// </summary>
/// <param name="cluster">The cluster.</param>
/// <param name="devices">The devices of this node.</param>
internal sealed class ClusterServers(CoapCluster cluster, LocalDevices devices)
{
    private const int MaxName = 64;

    private readonly Lock _gate = new();
    private readonly Dictionary<string, (CoapServer Server, ClusterObserverKeeper Keeper)> _attached = new(StringComparer.Ordinal);

    /// <summary>How many are attached and have not stopped.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _attached.Count;
            }
        }
    }

    /// <summary>Checks the name of a server, and gives it as keys of records begin with.</summary>
    /// <param name="server">The name.</param>
    /// <exception cref="ArgumentException">It is too long.</exception>
    public static byte[] NameOf(string server)
    {
        ArgumentNullException.ThrowIfNull(server);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Encoding.UTF8.GetByteCount(server), MaxName, nameof(server));
        byte[] name = Encoding.UTF8.GetBytes(server);
        return [(byte)name.Length, .. name];
    }

    /// <summary>Has the endpoint that is made of some options take part.</summary>
    /// <param name="options">The options.</param>
    /// <param name="server">The name of the server.</param>
    public void Use(CoapEndpointOptions options, string server)
    {
        cluster.ThrowIfEnded();
        _ = NameOf(server);
        if (options.ObserverKeeper is null)
        {
            options.ObserverKeeper = new ClusterObserverKeeper(cluster, server, options);
        }
        else if (options.ObserverKeeper is not ClusterObserverKeeper own || own.Cluster != cluster || own.Server != server)
        {
            throw new InvalidOperationException(
                "CoapEndpointOptions.ObserverKeeper is set already, and observers are kept in one place. Leave it out, or do not call "
                + "UseCluster and keep sessions only (CoapCluster.KeepDtlsSessions).");
        }

        if (options.SharedSecret.IsEmpty)
        {
            options.SharedSecret = cluster.EndpointSecret;
        }

        // What comes meanwhile is repeated, and served by the next process or by another node. Whoever said something else has it.
        options.AnswerWhileStopping ??= false;
        options.TryChangeDtls(dtls =>
        {
            if (dtls.Server is not null)
            {
                Use(dtls.Server, server);
            }
        });
    }

    /// <summary>Has the DTLS server that is made of some options take part.</summary>
    /// <param name="options">The options.</param>
    /// <param name="server">The name of the server.</param>
    public void Use(CoapDtlsServerOptions options, string server)
    {
        cluster.ThrowIfEnded();
        if (options.SessionFile is not null)
        {
            throw new InvalidOperationException(
                "CoapDtlsServerOptions.SessionFile is set, and a session is kept in one place. Leave it out: the cluster keeps sessions.");
        }

        if (options.ResumptionStore is null)
        {
            options.AsyncResumptionStore ??= cluster.ResumeDtlsSessions(server);
        }

        if (options.SessionKeeping is null)
        {
            options.SessionKeeping = cluster.KeepDtlsSessions(server);
        }
        else if (options.SessionKeeping.Keeper is not ClusterSessionKeeper own || !own.IsOf(cluster, server))
        {
            throw new InvalidOperationException(
                "CoapDtlsServerOptions.SessionKeeping is set to another keeper, or to that of another server, and a session is kept in one "
                + "place. Leave it out: UseCluster sets it.");
        }

        if (cluster.SharesSlots)
        {
            options.Steering ??= cluster.Steer((ClusterSessionKeeper)options.SessionKeeping.Keeper);
        }
    }

    /// <summary>Has the chapters go on with a server.</summary>
    /// <param name="server">The server.</param>
    public void Attach(CoapServer server)
    {
        cluster.ThrowIfEnded();
        if (server.ObserverKeeper is not ClusterObserverKeeper keeper || keeper.Cluster != cluster)
        {
            throw new InvalidOperationException(
                "This server was made with options that know nothing of this cluster. Call UseCluster(cluster) on its CoapEndpointOptions "
                + "before the server is made, then Attach.");
        }

        keeper.ThrowIfSessionsEnd();
        if (server.Endpoint.Completion.IsCompleted)
        {
            throw new InvalidOperationException("This server has stopped. Attach a server before it stops; a new one has to be made.");
        }

        lock (_gate)
        {
            if (_attached.TryGetValue(keeper.Server, out (CoapServer Server, ClusterObserverKeeper Keeper) other))
            {
                if (other.Server == server)
                {
                    return;
                }

                throw new InvalidOperationException(
                    $"Another server of this process has the name '{keeper.Server}' in the cluster, and has not stopped. Give each server "
                    + "a name of its own: UseCluster(cluster, \"name\").");
            }

            _attached.Add(keeper.Server, (server, keeper));
        }

        keeper.Attach(server);
        devices.Attach(server.Endpoint);
        cluster.Observations.Attach(server.Endpoint);
        cluster.Notices.Attach(server, keeper.Server);
        _ = ForgetAsync(server, keeper);
    }

    /// <summary>The cluster ends.</summary>
    public void End()
    {
        (CoapServer Server, ClusterObserverKeeper Keeper)[] all;
        lock (_gate)
        {
            all = [.. _attached.Values];
        }

        foreach ((_, ClusterObserverKeeper keeper) in all)
        {
            keeper.Detach();
        }
    }

    private async Task ForgetAsync(CoapServer server, ClusterObserverKeeper keeper)
    {
        await ((Task)server.Endpoint.Completion).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        keeper.Detach();
        lock (_gate)
        {
            _attached.Remove(keeper.Server);
        }
    }
}
