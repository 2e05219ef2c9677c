using ClusterSample;
using CoAP.NET.Cluster.PostgreSql;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Survival.Scenarios;

/// <summary>
/// What the database has to do for devices that send a message a minute: a backup of sessions is handed what servers would hand over, in
/// the same batches and at the same times.
/// </summary>
/// <param name="table">Where it is added.</param>
/// <param name="sizes">How many devices, and for how long.</param>
internal sealed class DatabaseCost(FigureTable table, Sizes sizes)
{
    private const int Nodes = 3;
    private const int Batch = 1_000;
    private const int StateBytes = 250;
    private const int IdBytes = 8;
    private const int TransactionsGoal = 50;
    private const int RowsGoal = 10_000;
    private static readonly TimeSpan s_message = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan s_lifetime = TimeSpan.FromDays(1);

    // Processes of the database tell their counts once a second.
    private static readonly TimeSpan s_counted = TimeSpan.FromSeconds(2);

    private readonly byte[] _secret = CoapSealedClusterStore.NewSecret();

    public async Task RunAsync()
    {
        await using PostgreSqlProcess database = await PostgreSqlProcess.StartAsync(isDurable: !sizes.IsSelfCheck);
        List<CoapCluster> clusters = [];
        try
        {
            for (int i = 0; i < Nodes; i++)
            {
                CoapCluster cluster = new(
                    new CoapPostgreSqlClusterStore(database.ConnectionString), new CoapClusterOptions { Secrets = [_secret] });
                clusters.Add(cluster);
                await cluster.StartAsync();
            }

            await MeasureAsync(database, clusters[0].CreateSessionBackup());
        }
        finally
        {
            foreach (CoapCluster cluster in clusters)
            {
                await cluster.DisposeAsync();
            }
        }
    }

    private static byte[] IdOf(int device)
    {
        byte[] id = new byte[IdBytes];
        id[0] = (byte)device;
        BitConverter.TryWriteBytes(id.AsSpan(1), device);
        return id;
    }

    private async Task MeasureAsync(PostgreSqlProcess database, CoapDtlsSessionBackupOptions backupOptions)
    {
        Watch begin = new();
        await KeepAsync(backupOptions, CoapDtlsSessionChangeKind.Made, 0, sizes.Simulated);
        table.Add(
            $"{sizes.Simulated:N0} sessions written for the first time", $"{begin.Elapsed.TotalSeconds:0.0} s");

        // In each interval those are handed over that sent something in it.
        int heard = Math.Max(1, (int)(sizes.Simulated * (CoapDtlsSessionBackupOptions.HeardInterval / s_message)));
        int intervals = sizes.IsSelfCheck ? 1 : Math.Max(2, (int)(sizes.Seconds / CoapDtlsSessionBackupOptions.HeardInterval.TotalSeconds));
        TimeSpan busy = TimeSpan.Zero;
        await Task.Delay(s_counted, TimeProvider.System, CancellationToken.None);
        long transactions = await database.CountTransactionsAsync();
        begin = new();
        for (int i = 0; i < intervals; i++)
        {
            Watch from = new();
            await KeepAsync(backupOptions, CoapDtlsSessionChangeKind.Heard, i * heard, heard);
            TimeSpan took = from.Elapsed;
            busy += took;
            TimeSpan rest = CoapDtlsSessionBackupOptions.HeardInterval - took;
            if (rest > TimeSpan.Zero && !sizes.IsSelfCheck)
            {
                await Task.Delay(rest, TimeProvider.System, CancellationToken.None);
            }
        }

        double seconds = begin.Elapsed.TotalSeconds;
        double perSecond = (await database.CountTransactionsAsync() - transactions) / seconds;
        double rows = (double)heard * intervals / seconds;
        string devices = FormattableString.Invariant($"{sizes.Simulated:N0} devices, a message a minute");
        if (sizes.IsSelfCheck)
        {
            table.Add(devices, $"{intervals * heard} rows");
            return;
        }

        table.Add(devices, $"{perSecond:0.0} transactions/s, {rows:N0} rows/s", "<= 50 transactions/s, <= 10,000 rows/s",
            perSecond <= TransactionsGoal && rows <= RowsGoal);
        table.Add("part of the time in which rows are written", $"{busy.TotalSeconds / seconds * 100:0.0} %");
    }

    private async Task KeepAsync(CoapDtlsSessionBackupOptions backupOptions, CoapDtlsSessionChangeKind kind, int first, int count)
    {
        byte[] state = new byte[StateBytes];
        for (int done = 0; done < count; done += Batch)
        {
            DateTimeOffset expires = TimeProvider.System.GetUtcNow() + s_lifetime;
            CoapDtlsSessionChange[] changes = [.. Enumerable.Range(first + done, Math.Min(Batch, count - done))
                .Select(device => new CoapDtlsSessionChange(kind, IdOf(device % sizes.Simulated), state, expires))];
            await backupOptions.Backup.SaveAsync(changes, CancellationToken.None);
            table.Check(!changes.Any(change => change.IsRefused), $"a session was refused");
        }
    }
}
