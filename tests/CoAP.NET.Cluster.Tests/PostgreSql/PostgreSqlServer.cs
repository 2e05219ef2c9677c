using ClusterSample;
using Npgsql;

namespace CoAP.NET.Cluster.Tests.PostgreSql;

/// <summary>
/// A PostgreSQL of these tests, fast in place of durable. Started once for all tests of the collection, which run one after the other.
/// </summary>
public sealed class PostgreSqlServer : IAsyncLifetime
{
    private PostgreSqlProcess _process = null!;

    internal string ConnectionString => _process.ConnectionString;

    internal string Folder => _process.Folder;

    public async ValueTask InitializeAsync() => _process = await PostgreSqlProcess.StartAsync(isDurable: false);

    public ValueTask DisposeAsync() => _process.DisposeAsync();

    internal Task StartAsync() => _process.StartAgainAsync();

    /// <summary>Ends it as a crash does: connections break, nothing is finished.</summary>
    internal Task StopAsync() => _process.CrashAsync();

    internal static Task Signal(string signal, int process) => PostgreSqlProcess.SignalAsync(signal, process);

    internal Task<NpgsqlConnection> OpenAsync() => _process.OpenAsync();

    internal async Task<T> AskAsync<T>(string sql)
    {
        await using NpgsqlConnection connection = await OpenAsync();
        return await AskAsync<T>(connection, sql);
    }

    internal static async Task<T> AskAsync<T>(NpgsqlConnection connection, string sql)
    {
#pragma warning disable CA2100 // texts of the tests
        await using NpgsqlCommand command = new(sql, connection);
#pragma warning restore CA2100
        return (T)(await command.ExecuteScalarAsync() ?? throw new InvalidOperationException($"No row: {sql}"));
    }

    internal static async Task DoAsync(NpgsqlConnection connection, string sql)
    {
#pragma warning disable CA2100 // texts of the tests
        await using NpgsqlCommand command = new(sql, connection);
#pragma warning restore CA2100
        await command.ExecuteNonQueryAsync();
    }

    internal async Task DoAsync(string sql)
    {
        await using NpgsqlConnection connection = await OpenAsync();
        await DoAsync(connection, sql);
    }
}
