using System.Diagnostics;
using Npgsql;

namespace ClusterSample;

/// <summary>
/// A PostgreSQL of its own: in a directory that is made for it and goes with it, reached by a socket there and by no port. Its programs
/// have to be installed (<see cref="IsInstalled"/>).
/// </summary>
public sealed class PostgreSqlProcess : IAsyncDisposable
{
    public const string Advice = "Install PostgreSQL (apt-get install postgresql)";
    private const string Account = "postgres";
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(20);
    private static readonly string[] s_programs = ["initdb", "postgres"];

    private readonly bool _isDurable;
    private Process? _process;

    private PostgreSqlProcess(bool isDurable) => _isDurable = isDurable;

    public static IReadOnlyList<string> Programs => s_programs;

    /// <summary>Whether the programs are there.</summary>
    public static bool IsInstalled => s_programs.All(static name => InstalledProgram.Find(name) is not null);

    /// <summary>How Npgsql reaches it.</summary>
    public string ConnectionString => $"Host={Folder};Username=coap;Database=postgres;Timeout=60";

    /// <summary>The directory with its socket.</summary>
    public string Folder { get; } = Directory.CreateTempSubdirectory("coap-postgresql-").FullName;

    /// <summary>Makes a database and starts it.</summary>
    /// <param name="isDurable">Whether it flushes to the disk as PostgreSQL does by default; false is faster, as for tests.</param>
    /// <exception cref="InvalidOperationException">The programs are absent or do not work.</exception>
    public static Task<PostgreSqlProcess> StartAsync(bool isDurable) => StartAsync(
        isDurable, "initdb", "-U", "coap", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions");

    /// <summary>Starts a replica of this one: it copies each write, and serves reads until it is promoted.</summary>
    /// <exception cref="InvalidOperationException">The programs do not work.</exception>
    public Task<PostgreSqlProcess> FollowAsync() => StartAsync(
        _isDurable, "pg_basebackup", "-h", Folder, "-U", "coap", "-R", "-X", "stream", "-c", "fast", "--no-sync");

    private static async Task<PostgreSqlProcess> StartAsync(bool isDurable, string maker, params string[] arguments)
    {
        PostgreSqlProcess server = new(isDurable);
        try
        {
            await server.MakeAsync(maker, arguments);
            await server.StartAgainAsync();
            return server;
        }
        catch
        {
            await server.DisposeAsync();
            throw;
        }
    }

    /// <summary>Starts it after <see cref="CrashAsync"/>, and waits until it answers.</summary>
    public async Task StartAgainAsync()
    {
        string[] speed = _isDurable
            ? ["-c", "shared_buffers=128MB"]
            : ["-c", "fsync=off", "-c", "full_page_writes=off", "-c", "shared_buffers=16MB", "-c", "autovacuum=off"];
        _process = Start(Find("postgres"), ["-D", Data, "-k", Folder, "-c", "listen_addresses=", "-c", "max_connections=100",
            "-c", "deadlock_timeout=60s", "-c", "log_min_messages=panic", .. speed]);
        long begin = TimeProvider.System.GetTimestamp();
        while (!await AnswersAsync())
        {
            if (_process.HasExited || TimeProvider.System.GetElapsedTime(begin) > TimeSpan.FromMinutes(2))
            {
                throw new InvalidOperationException("PostgreSQL did not start.");
            }

            await Task.Delay(s_pause, TimeProvider.System, CancellationToken.None);
        }
    }

    /// <summary>Ends it as a crash does: connections break, nothing is finished.</summary>
    public async Task CrashAsync()
    {
        await SignalAsync("QUIT", _process!.Id);
        await _process.WaitForExitAsync();
        _process.Dispose();
        _process = null;
    }

    /// <summary>Sends a signal to one of its processes.</summary>
    public static Task SignalAsync(string signal, int process) => RunAsRootAsync("kill", $"-{signal}", $"{process}");

    /// <summary>Opens a connection that belongs to the caller alone.</summary>
    public async Task<NpgsqlConnection> OpenAsync()
    {
        NpgsqlConnection connection = new(ConnectionString + ";Pooling=false");
        await connection.OpenAsync();
        return connection;
    }

    /// <summary>How many transactions were committed until about now: PostgreSQL tells with a delay of up to a second.</summary>
    public async Task<long> CountTransactionsAsync()
    {
        await using NpgsqlConnection connection = await OpenAsync();
        await using NpgsqlCommand command = new("select sum(xact_commit)::bigint from pg_stat_database", connection);
        return (long)(await command.ExecuteScalarAsync())!;
    }

    public async ValueTask DisposeAsync()
    {
        if (_process is { HasExited: false })
        {
            await CrashAsync();
        }

        Directory.Delete(Folder, recursive: true);
    }

    private string Data => Path.Combine(Folder, "data");

    private async Task MakeAsync(string maker, string[] arguments)
    {
        if (Environment.IsPrivilegedProcess)
        {
            // PostgreSQL refuses to run as root.
            await RunAsRootAsync("chown", Account, Folder);
        }

        using Process process = Start(Find(maker), ["-D", Data, .. arguments]);
        await EndAsync(process, maker);
    }

    private async Task<bool> AnswersAsync()
    {
        try
        {
            await using NpgsqlConnection connection = await OpenAsync();
            return true;
        }
        catch (NpgsqlException)
        {
            return false;
        }
    }

    private static string Find(string program) => InstalledProgram.Find(program)
        ?? throw new InvalidOperationException($"{program} cannot be found. {Advice}.");

    private static async Task RunAsRootAsync(string program, params string[] arguments)
    {
        using Process process = StartAsRoot(program, arguments);
        await EndAsync(process, program);
    }

    private static async Task EndAsync(Process process, string program)
    {
        await process.WaitForExitAsync();
        if (process.ExitCode != 0)
        {
            throw new InvalidOperationException($"{program} ended with exit code {process.ExitCode}.");
        }
    }

    // The same process, as another user where this one is root.
    private static Process Start(string program, string[] arguments) => Environment.IsPrivilegedProcess
        ? StartAsRoot("setpriv", [$"--reuid={Account}", $"--regid={Account}", "--clear-groups", program, .. arguments])
        : StartAsRoot(program, arguments);

    private static Process StartAsRoot(string program, string[] arguments)
    {
        // Nobody reads what they say, so it goes where it cannot fill up.
        ProcessStartInfo start = new("/bin/sh") { UseShellExecute = false };
        foreach (string argument in (string[])["-c", "exec \"$@\" >/dev/null 2>&1", "sh", program, .. arguments])
        {
            start.ArgumentList.Add(argument);
        }

        return Process.Start(start)!;
    }
}
