using System.Globalization;
using Npgsql;

namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>
/// Opens connections. A connection that owns something on the server (a lock, a generation, a subscription) is not pooled, so that closing
/// it releases that; connections for reads are pooled. Thread-safe.
/// </summary>
internal sealed class PostgreSqlConnections : IAsyncDisposable
{
    private const int MaxReaders = 8;
    private const int MaxPrepared = 16;

    private readonly NpgsqlDataSource _pooled;
    private readonly NpgsqlDataSource _single;
    private readonly PostgreSqlHistory _history;
    private readonly SemaphoreSlim _upgrading = new(1);
    private readonly string _settings;
    private volatile bool _isUpgraded;
    private volatile bool _isChecked;

    public PostgreSqlConnections(CoapPostgreSqlClusterOptions options, PostgreSqlHistory history)
    {
        _history = history;
        Schema = options.Schema;
        NpgsqlConnectionStringBuilder text = new(options.ConnectionString) { Pooling = true, MaxPoolSize = MaxReaders, MinPoolSize = 0 };
        _pooled = NpgsqlDataSource.Create(text);
        // A timeout closes the connection at once: the server ends the statement, and fences guard against the rest. The connections live
        // long and repeat few statements, which are prepared once.
        text = new(options.ConnectionString)
        {
            Pooling = false,
            CancellationTimeout = -1,
            MaxAutoPrepare = MaxPrepared,
            AutoPrepareMinUsages = 2,
        };
        _single = NpgsqlDataSource.Create(text);

        // The server ends abandoned statements, and a commit is synchronous: confirmed changes must survive a failure of the server. With
        // "local", a failover would lose them although a standby is synchronous.
        _settings = string.Create(CultureInfo.InvariantCulture, $"""
            set statement_timeout = {(int)options.CommandTimeout.TotalMilliseconds};
            set idle_in_transaction_session_timeout = {(int)options.CommandTimeout.TotalMilliseconds};
            select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') in ('off', 'local');
            """);
    }

    public string Schema { get; }

    public string Channel => $"coap_{Schema}";

    /// <summary>Opens a connection for an owner. Closing it releases what it owns on the server.</summary>
    public async Task<NpgsqlConnection> OpenOwnAsync(CancellationToken cancellationToken)
    {
        NpgsqlConnection connection = await _single.OpenConnectionAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            await CheckPoolerAsync(connection, cancellationToken).ConfigureAwait(false);
            await PostgreSqlSchema.ExecuteAsync(connection, _settings, cancellationToken).ConfigureAwait(false);
            await _history.AskAsync(connection, cancellationToken).ConfigureAwait(false);
            await UpgradeAsync(connection, cancellationToken).ConfigureAwait(false);
            return connection;
        }
        catch
        {
            await connection.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Executes a read, and retries it once if the connection was lost.</summary>
    public async Task<T> ReadAsync<T>(
        Func<NpgsqlConnection, CancellationToken, Task<T>> read, CancellationToken cancellationToken)
    {
        for (bool isLast = false; ; isLast = true)
        {
            try
            {
                NpgsqlConnection connection = await _pooled.OpenConnectionAsync(cancellationToken).ConfigureAwait(false);
                await using (connection.ConfigureAwait(false))
                {
                    if (!_history.IsKnown)
                    {
                        await _history.AskAsync(connection, cancellationToken).ConfigureAwait(false);
                    }

                    await UpgradeAsync(connection, cancellationToken).ConfigureAwait(false);
                    return await read(connection, cancellationToken).ConfigureAwait(false);
                }
            }
            catch (Exception exception) when (PostgreSqlFaults.IsFault(exception))
            {
                if (exception is PostgresException { SqlState: PostgresErrorCodes.InsufficientPrivilege })
                {
                    _history.Forget();
                }

                if (isLast || !PostgreSqlFaults.IsLostConnection(exception))
                {
                    throw PostgreSqlFaults.Of(exception);
                }

                // The other pooled connections are lost as well.
                CloseReaders();
            }
        }
    }

    /// <summary>Closes the connections for reads, which may belong to another server than new ones.</summary>
    public void CloseReaders() => _pooled.Clear();

    public async ValueTask DisposeAsync()
    {
        await _pooled.DisposeAsync().ConfigureAwait(false);
        await _single.DisposeAsync().ConfigureAwait(false);
        _upgrading.Dispose();
    }

    // A pooler invents the process that it names at the start of a connection. In session mode the connection then keeps one session of the
    // server, while another connection has another session. In transaction mode the other one gets the session that this one does not use
    // at the moment, or this one another session while the other one holds it.
    private async Task CheckPoolerAsync(NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        if (_isChecked)
        {
            return;
        }

        int session = await SessionOfAsync(connection, cancellationToken).ConfigureAwait(false);
        if (session == connection.ProcessID)
        {
            _isChecked = true;
            return;
        }

        NpgsqlConnection other = await _single.OpenConnectionAsync(cancellationToken).ConfigureAwait(false);
        await using (other.ConfigureAwait(false))
        {
            NpgsqlTransaction holding = await other.BeginTransactionAsync(cancellationToken).ConfigureAwait(false);
            await using (holding.ConfigureAwait(false))
            {
                if (await SessionOfAsync(other, cancellationToken).ConfigureAwait(false) == session
                    || await SessionOfAsync(connection, cancellationToken).ConfigureAwait(false) != session)
                {
                    throw PostgreSqlFaults.TransactionPooler();
                }
            }
        }

        _isChecked = true;
    }

    private static async Task<int> SessionOfAsync(NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        NpgsqlCommand command = PostgreSqlCommandFactory.Make(connection, "select pg_backend_pid()");
        await using (command.ConfigureAwait(false))
        {
            return (int)(await command.ExecuteScalarAsync(cancellationToken).ConfigureAwait(false))!;
        }
    }

    private async Task UpgradeAsync(NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        if (_isUpgraded)
        {
            return;
        }

        await _upgrading.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            if (!_isUpgraded)
            {
                await PostgreSqlSchema.UpgradeAsync(connection, Schema, cancellationToken).ConfigureAwait(false);
                _isUpgraded = true;
            }
        }
        finally
        {
            _upgrading.Release();
        }
    }
}
