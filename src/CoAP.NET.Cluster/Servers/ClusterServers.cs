using System.Text;
using CoAP.NET.Cluster.Devices;
using CoAP.NET.Cluster.Dtls;
using CoAP.NET.Cluster.Observing;
using CoAP.NET.Dtls;
using CoAP.NET.Execution;

namespace CoAP.NET.Cluster.Servers;

/// <summary>
/// The servers of this process that belong to a cluster: configures their options, and connects the parts of the cluster to them. Each part
/// has one line in each of the three methods that it needs. Thread-safe.
/// </summary>
internal sealed class ClusterServers(CoapCluster cluster, LocalDevices devices)
{
    private const int MaxName = 64;

    private readonly Lock _gate = new();
    private readonly Dictionary<string, (CoapServer Server, ClusterObserverStore ObserverStore)> _attached = new(StringComparer.Ordinal);

    /// <summary>The number of attached servers that have not stopped.</summary>
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

    /// <summary>Validates the name of a server, and returns it as the prefix of record keys.</summary>
    /// <exception cref="ArgumentException">It is too long.</exception>
    public static byte[] NameOf(string server)
    {
        ArgumentNullException.ThrowIfNull(server);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Encoding.UTF8.GetByteCount(server), MaxName, nameof(server));
        byte[] name = Encoding.UTF8.GetBytes(server);
        return [(byte)name.Length, .. name];
    }

    public void Use(CoapEndpointOptions options, string server)
    {
        cluster.ThrowIfEnded();
        _ = NameOf(server);
        if (options.Processes.ObserverStore is null)
        {
            options.Processes.ObserverStore = new ClusterObserverStore(cluster, server, options);
            cluster.Contexts.Use(options, server);
        }
        else if (options.Processes.ObserverStore is not ClusterObserverStore own || own.Cluster != cluster || own.Server != server)
        {
            throw new InvalidOperationException(
                "CoapMultiProcessOptions.ObserverStore is already set, but observers are kept in one place. Leave it unset, or do not call "
                + "KeepState and keep sessions only (KeepState of the CoapDtlsServerOptions).");
        }

        if (options.Processes.SharedSecret.IsEmpty)
        {
            cluster.ShareSecrets(options);
        }

        // Clients repeat later requests, and the next process or another node serves them. An explicit setting takes precedence.
        options.Processes.AnswerWhileStopping ??= false;
        options.TryChangeDtls(dtls =>
        {
            if (dtls.Server is null)
            {
                return;
            }

            if (cluster.Peers.IsOn && !dtls.UseConnectionIds)
            {
                throw new InvalidOperationException(
                    "CoapDtlsOptions.UseConnectionIds is false, but nodes that share their devices relay datagrams by Connection ID: "
                    + "sessions without one would end whenever a datagram arrives at another node. Leave it true.");
            }

            Use(dtls.Server, server);
        });
    }

    public void Use(CoapDtlsServerOptions options, string server)
    {
        cluster.ThrowIfEnded();
        if (options.SessionFile is not null)
        {
            throw new InvalidOperationException(
                "CoapDtlsServerOptions.SessionFile is set, but a session is kept in one place. Leave it unset: the cluster keeps "
                    + "sessions.");
        }

        if (options is { ResumableIn: null, MaxResumableSessions: 0 })
        {
            options.ResumptionStore ??= cluster.ResumeDtlsSessions(server);
        }

        if (options.SessionBackup is null)
        {
            options.SessionBackup = cluster.CreateSessionBackup(server);
        }
        else if (options.SessionBackup.Backup is not ClusterSessionBackup own || !own.IsOf(cluster, server))
        {
            throw new InvalidOperationException(
                "CoapDtlsServerOptions.SessionBackup is set to another backup, or to that of another server, but a session is kept in one "
                + "place. Leave it unset: KeepState sets it.");
        }

        if (cluster.Peers.IsOn)
        {
            options.Steering ??= cluster.Steer((ClusterSessionBackup)options.SessionBackup.Backup);
        }
    }

    public void Attach(CoapServer server)
    {
        cluster.ThrowIfEnded();
        if (server.ObserverStore is not ClusterObserverStore observerStore || observerStore.Cluster != cluster)
        {
            throw new InvalidOperationException(
                "This server was created with options that do not belong to this cluster. Call "
                + "CoapCluster.KeepState with its CoapEndpointOptions before you create the server, then Attach.");
        }

        observerStore.ThrowIfSessionsEnd();
        if (server.Endpoint.Completion.IsCompleted)
        {
            throw new InvalidOperationException("This server has stopped. Create a new one, and attach it before it stops.");
        }

        lock (_gate)
        {
            if (_attached.TryGetValue(observerStore.Server, out (CoapServer Server, ClusterObserverStore ObserverStore) other))
            {
                if (other.Server == server)
                {
                    return;
                }

                throw new InvalidOperationException(
                    $"Another server of this process has the name '{observerStore.Server}' in the cluster, and has not stopped. Give each "
                    + "server its own name: KeepState(options, \"name\").");
            }

            _attached.Add(observerStore.Server, (server, observerStore));
        }

        observerStore.Attach(server);
        cluster.Contexts.Attach(server, observerStore.Server);
        devices.Attach(server.Endpoint);
        cluster.Observations.Attach(server.Endpoint);
        cluster.Notifications?.Attach(server, observerStore.Server);
        _ = ForgetAsync(server, observerStore);
    }

    /// <summary>Ends with the cluster.</summary>
    public void End()
    {
        (CoapServer Server, ClusterObserverStore ObserverStore)[] all;
        lock (_gate)
        {
            all = [.. _attached.Values];
        }

        foreach ((_, ClusterObserverStore observerStore) in all)
        {
            observerStore.Detach();
        }
    }

    private async Task ForgetAsync(CoapServer server, ClusterObserverStore observerStore)
    {
        await ((Task)server.Endpoint.Completion).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        observerStore.Detach();
        lock (_gate)
        {
            _attached.Remove(observerStore.Server);
        }
    }
}
