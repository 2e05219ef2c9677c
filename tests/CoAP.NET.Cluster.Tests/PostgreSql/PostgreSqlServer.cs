using System.Diagnostics;
using CoAP.NET.Cluster.Tests.Engines;
using CoAP.NET.Tests;
using Npgsql;

namespace CoAP.NET.Cluster.Tests.PostgreSql;

/// <summary>
/// A PostgreSQL of these tests: in a directory of its own, reached by a socket there and by no port, and fast in place of durable. Started
/// once for all tests of the collection, which run one after the other.
/// </summary>
public sealed class PostgreSqlServer : IAsyncLifetime
{
    internal const string Advice = "Install PostgreSQL (apt-get install postgresql)";
    private const string Account = "postgres";

    private readonly string _folder = Directory.CreateTempSubdirectory("coap-postgresql-").FullName;
    private Process? _process;

    internal string ConnectionString => $"Host={_folder};Username=coap;Database=postgres;Timeout=60";

    public async Task InitializeAsync()
    {
        if (new NeedsProgramsAttribute(Advice, "initdb", "postgres").SkipReason() is not null)
        {
            return;
        }

        if (Environment.IsPrivilegedProcess)
        {
            // PostgreSQL refuses to run as root.
            await RunAsync("chown", Account, _folder);
        }

        await RunAsync(Program.Find("initdb") ?? throw new InvalidOperationException($"initdb cannot be found. {Advice}."),
            "-D", Path.Combine(_folder, "data"), "-U", "coap", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions");
        await StartAsync();
    }

    public async Task DisposeAsync()
    {
        if (_process is not null)
        {
            await StopAsync();
        }

        Directory.Delete(_folder, recursive: true);
    }

    internal async Task StartAsync()
    {
        _process = Start(Program.Find("postgres")!, "-D", Path.Combine(_folder, "data"), "-k", _folder, "-c", "listen_addresses=",
            "-c", "fsync=off", "-c", "full_page_writes=off", "-c", "shared_buffers=16MB", "-c", "max_connections=100",
            "-c", "autovacuum=off", "-c", "deadlock_timeout=60s", "-c", "log_min_messages=panic");
        using CancellationTokenSource guard = new(TimeSpan.FromMinutes(2));
        for (int looks = 0; !await AnswersAsync(guard.Token); looks++)
        {
            Assert.False(_process.HasExited, "PostgreSQL ended while it started.");
            await Eventually.PauseAsync(looks);
        }
    }

    /// <summary>Ends it as a crash does: connections break, nothing is finished.</summary>
    internal async Task StopAsync()
    {
        await Signal("QUIT", _process!.Id);
        await _process.WaitForExitAsync();
        _process.Dispose();
        _process = null;
    }

    internal static Task Signal(string signal, int process) => RunAsRootAsync("kill", $"-{signal}", $"{process}");

    internal async Task<NpgsqlConnection> OpenAsync()
    {
        NpgsqlConnection connection = new(ConnectionString + ";Pooling=false");
        await connection.OpenAsync();
        return connection;
    }

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

    private async Task<bool> AnswersAsync(CancellationToken cancellationToken)
    {
        try
        {
            await using NpgsqlConnection connection = new(ConnectionString + ";Pooling=false");
            await connection.OpenAsync(cancellationToken);
            return true;
        }
        catch (NpgsqlException)
        {
            return false;
        }
    }

    private static async Task RunAsync(string program, params string[] arguments)
    {
        using Process process = program == "chown" ? StartAsRoot(program, arguments) : Start(program, arguments);
        await process.WaitForExitAsync();
        Assert.Equal(0, process.ExitCode);
    }

    private static async Task RunAsRootAsync(string program, params string[] arguments)
    {
        using Process process = StartAsRoot(program, arguments);
        await process.WaitForExitAsync();
        Assert.Equal(0, process.ExitCode);
    }

    private static Process StartAsRoot(string program, params string[] arguments) => Process.Start(Silent(program, arguments))!;

    // The same process, as another user where this one is root.
    private static Process Start(string program, params string[] arguments) => Environment.IsPrivilegedProcess
        ? StartAsRoot("setpriv", [$"--reuid={Account}", $"--regid={Account}", "--clear-groups", program, .. arguments])
        : StartAsRoot(program, arguments);

    private static ProcessStartInfo Silent(string program, string[] arguments)
    {
        // Nobody reads what they say, so it goes where it cannot fill up.
        ProcessStartInfo start = new("/bin/sh") { UseShellExecute = false };
        foreach (string argument in (string[])["-c", "exec \"$@\" >/dev/null 2>&1", "sh", program, .. arguments])
        {
            start.ArgumentList.Add(argument);
        }

        return start;
    }
}
