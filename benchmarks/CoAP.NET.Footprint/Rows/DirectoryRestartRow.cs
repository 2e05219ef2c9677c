using System.Buffers;
using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Sqlite;
using CoAP.NET.ResourceDirectory;
using CoAP.NET.ResourceDirectory.Lookups;
using CoAP.NET.ResourceDirectory.Registrations;
using CoAP.NET.ResourceDirectory.Serving;

namespace CoAP.NET.Footprint.Rows;

/// <summary>A Resource Directory with very many registrations in a file: how long it takes until all of them are found again.</summary>
internal sealed class DirectoryRestartRow : IRow
{
    // How many registrations wait for the store at a time.
    private const int AtATime = 8_000;
    private const double Goal = 10;

    public string Name => "directory-restart";

    public string About => "a Resource Directory with 1,000,000 registrations of 10 links starts from SQLite";

    public int Seconds(Sizes sizes) => 300;

    public async Task RunAsync(FigureTable table, Sizes sizes)
    {
        int count = sizes.Registrations ?? sizes.Of(1_000_000, 5_000);
        table.Begin(Name);
        string folder = Directory.CreateTempSubdirectory("coap-footprint-").FullName;
        try
        {
            string file = sizes.File ?? Path.Combine(folder, "coap.db");
            if (!File.Exists(file))
            {
                byte[] secret = new byte[32];
                CoapRandomSource.Secure.Fill(secret);
                await File.WriteAllBytesAsync(SecretOf(file), secret);
                table.Add($"registrations a second that the store has confirmed, {AtATime:N0} at a time",
                    $"{await FillAsync(file, count):0} a second");
            }

            table.Add("the file", $"{new FileInfo(file).Length / (1 << 20):0} MiB");
            await StartAsync(table, file, count);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static async Task<double> FillAsync(string file, int count)
    {
        await using CoapCluster cluster = Open(file);
        await cluster.StartAsync();
        await using CoapDirectoryServer directory = new(cluster, Options(count));
        await directory.StartAsync();
        long start = TimeProvider.System.GetTimestamp();
        Task<DirectoryDecision>[] asked = new Task<DirectoryDecision>[AtATime];
        for (int from = 0; from < count; from += AtATime)
        {
            int some = Math.Min(AtATime, count - from);
            for (int i = 0; i < some; i++)
            {
                asked[i] = RegisterAsync(directory.Core, from + i);
            }

            if ((await Task.WhenAll(asked.AsSpan(0, some))).FirstOrDefault(answer => answer != DirectoryDecision.Done) is var other
                && other != DirectoryDecision.Done)
            {
                throw new InvalidOperationException($"A registration was answered {other}.");
            }
        }

        double perSecond = count / TimeProvider.System.GetElapsedTime(start).TotalSeconds;
        await cluster.LeaveAsync();
        return perSecond;
    }

    private static async Task<DirectoryDecision> RegisterAsync(DirectoryServerState core, int i)
    {
        Registration made = Registered.Make(i);
        return (await core.AskAsync(
            core.KeyOf(default, made.Endpoint), DirectorySlotOwnerRequest.Operation.Register, Registered.ByWhom(i), null,
            made.Bytes, CancellationToken.None)).Answer;
    }

    private static async Task StartAsync(FigureTable table, string file, int count)
    {
        // What filling it has left is not part of a start. Away from the stack of what ended before, which holds on to all of it.
        await Task.Yield();
        _ = Heap.LiveBytes();
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        TimeSpan paused = GC.GetTotalPauseDuration();
        long allocated = GC.GetTotalAllocatedBytes();
        long start = TimeProvider.System.GetTimestamp();
        await using CoapCluster cluster = Open(file);
        await cluster.StartAsync();
        await using CoapDirectoryServer directory = new(cluster, Options(count));
        await directory.StartAsync();
        double seconds = TimeProvider.System.GetElapsedTime(start).TotalSeconds;
        double processor = (Environment.CpuUsage.TotalTime - cpu).TotalSeconds;
        table.Add($"start with {count:N0} registrations, until all are found", $"{seconds:0.00} s", "<= 10 s", seconds <= Goal);
        table.Add("the same, time of all processors", $"{processor:0.00} s");
        table.Add("the same, pauses of the garbage collector", $"{(GC.GetTotalPauseDuration() - paused).TotalSeconds:0.00} s");
        table.Add("the same, allocated for each registration", $"{(GC.GetTotalAllocatedBytes() - allocated) / count} B");
        table.Check(directory.Count == count, $"{directory.Count} registrations are there after the start, and not {count}");
        ArrayBufferWriter<byte> answer = new(4096);
        _ = Lookup.TryRead([$"ep=node-{count - 1}"], ofLinks: true, 16, out Lookup? lookup);
        table.Check(directory.Core.Lookups.Run(lookup!, 0, answer) == LookupFault.None && answer.WrittenCount > 100 * Registered.Links / 3,
            $"the last registration was not found again");
        await cluster.LeaveAsync();
    }

    private static CoapCluster Open(string file) => new CoapSqliteClusterOptions { Path = file, MaxBytes = 8L << 30 }
        .CreateCluster(new CoapClusterOptions { Secrets = [File.ReadAllBytes(SecretOf(file))] });

    private static string SecretOf(string file) => file + ".secret";

    private static CoapDirectoryOptions Options(int count) => new()
    {
        Limits =
        {
            MaxRegistrations = 2 * count, MaxRegistrationsPerSource = count, MaxBytes = 8L << 30, Timeout = TimeSpan.FromMinutes(1),
        },
    };
}
