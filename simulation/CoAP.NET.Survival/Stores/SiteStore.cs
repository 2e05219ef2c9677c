using ClusterSample;
using Npgsql;

namespace CoAP.NET.Survival.Stores;

/// <summary>
/// The store of a site: a file, or servers of PostgreSQL. Each node has a proxy in front of each server, so that its connections can fail
/// while those of others do not.
/// </summary>
internal sealed class SiteStore : IAsyncDisposable
{
    private const string Role = "pod";
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(1);

    private readonly StoreKind _kind;
    private readonly string _file;
    private readonly Dictionary<string, TcpProxy[]> _proxies = [];
    private PostgreSqlProcess[] _servers = [];
    private int _serving;

    private SiteStore(StoreKind kind, string folder)
    {
        _kind = kind;
        _file = Path.Combine(folder, "coap.db");
    }

    /// <summary>Whether it has servers.</summary>
    public bool HasServers => _kind != StoreKind.Sqlite;

    /// <summary>The server that accepts writes.</summary>
    public PostgreSqlProcess Server => _servers[_serving];

    /// <summary>The proxies of all nodes.</summary>
    public IEnumerable<TcpProxy> Proxies => _proxies.Values.SelectMany(proxies => proxies);

    /// <summary>Makes one.</summary>
    /// <param name="kind">Where it is.</param>
    /// <param name="folder">The folder of the file.</param>
    /// <param name="isDurable">Whether PostgreSQL flushes to the disk.</param>
    public static async Task<SiteStore> OpenAsync(StoreKind kind, string folder, bool isDurable)
    {
        SiteStore store = new(kind, folder);
        try
        {
            if (kind != StoreKind.Sqlite)
            {
                store._servers = [await PostgreSqlProcess.StartAsync(isDurable)];
            }

            if (kind is StoreKind.Synchronous or StoreKind.Asynchronous)
            {
                store._servers = [store.Server, await store.Server.FollowAsync()];
            }

            if (kind == StoreKind.Synchronous)
            {
                await store.RunAsync("alter system set synchronous_standby_names = '*'");
                await store.RunAsync("select pg_reload_conf()");
                await store.UntilAsync("select exists (select from pg_stat_replication where sync_state = 'sync')");
            }

            return store;
        }
        catch
        {
            await store.DisposeAsync();
            throw;
        }
    }

    /// <summary>The proxies of a node.</summary>
    public IReadOnlyList<TcpProxy> ProxiesOf(NodeProcess node) => _proxies[node.Name];

    /// <summary>Where a node keeps its state, as its command line says it.</summary>
    /// <param name="node">The name of the node.</param>
    /// <param name="account">The name and the password that it connects with; null for those of all nodes.</param>
    public string PlaceOf(string node, string? account = null)
    {
        if (_kind == StoreKind.Sqlite)
        {
            return NodeStore.Sqlite(_file);
        }

        TcpProxy[] proxies = [.. _servers.Select(server => new TcpProxy(server.Folder))];
        _proxies.Add(node, proxies);
        string hosts = string.Join(
            ',', proxies.Select(proxy => $"127.0.0.1:{proxy.Port}"));
        string choice = proxies.Length > 1 ? ";Target Session Attributes=primary;Host Recheck Seconds=1" : "";
        return NodeStore.PostgreSql($"Host={hosts};Database=postgres;{account ?? "Username=coap"};SSL Mode=Disable{choice}");
    }

    /// <summary>Has the server ask for the password of an account.</summary>
    /// <returns>The name of the account, and a wrong password.</returns>
    public async Task<string> RefuseAsync()
    {
        await RunAsync($"create role {Role} login password 'right'");
        await RunAsync($"""
            do $$ begin execute format(
                'copy (values (''local all {Role} scram-sha-256''), (''local all all trust''), (''local replication all trust'')) to %L',
                current_setting('hba_file')); end $$
            """);
        await RunAsync("select pg_reload_conf()");
        return $"Username={Role};Password=wrong";
    }

    /// <summary>Has the replica receive nothing more.</summary>
    public async Task LagAsync()
    {
        await RunAsync(_servers[1], "alter system set primary_conninfo = ''");
        await RunAsync(_servers[1], "select pg_reload_conf()");
        await UntilAsync("select not exists (select from pg_stat_replication)");
    }

    /// <summary>Has the server crash, and the replica take its place.</summary>
    public async Task FailOverAsync()
    {
        await Server.CrashAsync();
        _serving = 1;
        await RunAsync("select pg_promote()");
    }

    /// <summary>Has the server crash, and a replica that lacks writes take its place, and waits until a node has noticed that.</summary>
    public async Task LoseWritesAsync()
    {
        long stale = await ReadAsync<long>("select stale from coap_cluster.map");
        await FailOverAsync();
        await UntilAsync($"select stale > {stale} from coap_cluster.map");
    }

    /// <summary>Runs a statement at the server that accepts writes.</summary>
    public Task RunAsync(string sql) => RunAsync(Server, sql);

    /// <summary>Reads a number or a truth.</summary>
    public async Task<T> ReadAsync<T>(string sql)
    {
        await using NpgsqlConnection connection = await Server.OpenAsync();
        await using NpgsqlCommand command = new(sql, connection);
        return (T)(await command.ExecuteScalarAsync())!;
    }

    /// <summary>Finds the process that serves the connection of a node's lease: it waits for a lock of the row.</summary>
    public async Task<int> FindLeaseAsync()
    {
        await using NpgsqlConnection connection = await Server.OpenAsync();
        await using NpgsqlTransaction transaction = await connection.BeginTransactionAsync();

        // That of a dead node, which nobody renews, ends first.
        await using NpgsqlCommand hold =
            new("select from coap_cluster.nodes order by lease desc limit 1 for update", connection, transaction);
        await hold.ExecuteNonQueryAsync();
        string waiting = $"select pid from pg_stat_activity where {connection.ProcessID} = any(pg_blocking_pids(pid)) limit 1";
        await UntilAsync($"select exists ({waiting})");
        return await ReadAsync<int>(waiting);
    }

    /// <summary>Reads the owner and the fence of each slot.</summary>
    public async Task<(Guid Node, long Fence)[]> SlotsAsync()
    {
        await using NpgsqlConnection connection = await Server.OpenAsync();
        await using NpgsqlCommand command = new("select node, fence from coap_cluster.slots order by slot", connection);
        await using NpgsqlDataReader reader = await command.ExecuteReaderAsync();
        List<(Guid, long)> slots = [];
        while (await reader.ReadAsync())
        {
            slots.Add((reader.GetGuid(0), reader.GetInt64(1)));
        }

        return [.. slots];
    }

    public async ValueTask DisposeAsync()
    {
        foreach (TcpProxy proxy in Proxies)
        {
            await proxy.DisposeAsync();
        }

        // The replica follows the first one.
        foreach (PostgreSqlProcess server in _servers.Reverse())
        {
            await server.DisposeAsync();
        }
    }

    private static async Task RunAsync(PostgreSqlProcess server, string sql)
    {
        await using NpgsqlConnection connection = await server.OpenAsync();
        await using NpgsqlCommand command = new(sql, connection);
        await command.ExecuteNonQueryAsync();
    }

    private async Task UntilAsync(string condition)
    {
        long begin = TimeProvider.System.GetTimestamp();
        while (!await ReadAsync<bool>(condition))
        {
            if (TimeProvider.System.GetElapsedTime(begin) > s_patience)
            {
                throw new TimeoutException($"PostgreSQL does not get there: {condition}");
            }

            await Task.Delay(s_pause, TimeProvider.System, CancellationToken.None);
        }
    }
}

/// <summary>Where nodes keep their state.</summary>
internal enum StoreKind
{
    /// <summary>In a file of SQLite, one node at a time.</summary>
    Sqlite,

    /// <summary>In a PostgreSQL.</summary>
    PostgreSql,

    /// <summary>In a PostgreSQL with a replica that confirms all writes.</summary>
    Synchronous,

    /// <summary>In a PostgreSQL with a replica that may lag behind.</summary>
    Asynchronous,
}
