using System.Buffers;
using System.Text;
using CoAP.NET.ResourceDirectory;
using CoAP.NET.ResourceDirectory.Lookups;
using CoAP.NET.ResourceDirectory.Registrations;
using CoAP.NET.ResourceDirectory.Serving;
using CoAP.NET.Tables;

namespace CoAP.NET.Footprint.Rows;

/// <summary>A Resource Directory with very many registrations: memory for one, and the time of registrations and lookups.</summary>
internal sealed class DirectoryRow : IRow
{
    private const int Links = Registered.Links;
    private const int Types = Registered.Types;
    private const double LookupGoal = 20;

    public string Name => "directory";

    public string About => "a Resource Directory with 1,000,000 registrations of 10 links: bytes for each, registrations, lookups";

    public int Seconds(Sizes sizes) => 60;

    public async Task RunAsync(FigureTable table, Sizes sizes)
    {
        int count = sizes.Registrations ?? sizes.Of(1_000_000, 5_000);
        table.Begin(Name);
        await using CoapDirectoryServer directory = new(new CoapDirectoryOptions
        {
            Limits = { MaxRegistrations = 2 * count, MaxRegistrationsPerSource = count, MaxBytes = 1L << 33, MaxScanned = 1_000 },
        });
        DirectoryServerState core = directory.Core;
        await RegisterAsync(core, count, 1);
        long before = Heap.LiveBytes();
        double perSecond = await RegisterAsync(core, 0, count);
        double each = (Heap.LiveBytes() - before) / (double)count;
        Registration one = core.Index.Find(core.KeyOf(default, Utf8("node-0")).Bytes)!.Value;
        double refreshes = await RefreshAsync(core, Math.Min(count, 200_000));

        table.Add($"a registration of {Links} links, with its place in the index",
            $"{each:0} B, {one.Bytes.Length} B of them as it is kept");
        table.Add("registrations on one core, links read and checked", $"{perSecond:0} a second");
        table.Add("refreshes on one core", $"{refreshes:0} a second");
        double byName = Lookup(core, sizes.Of(200_000, 2_000), i => $"ep=node-{i * 7919L % count}");
        table.Add($"lookup of an endpoint by ep, of {count}", $"{byName:0.0} us", "<= 20 us", byName <= LookupGoal);

        // Pages of 10, half of them at most.
        int late = Math.Min(50, count * Links / Types / 20);
        foreach ((string name, string query, int page) in (IEnumerable<(string, string, int)>)
        [
            ("links by rt that a thousandth has, the first 10", "rt=type-{0}", 0),
            ($"the same, page {late}", "rt=type-{0}", late),
            ("links by rt that all have, the first 10", "rt=core.s", 0),
            ("the same, a page in the middle", "rt=core.s", count / 20),
            ("all links, a page in the middle", "", count / 2),
        ])
        {
            double time = Lookup(core, sizes.Of(50_000, 1_000),
                i => $"{string.Format(CultureInfo.InvariantCulture, query, i % Types)}&page={page}&count=10".TrimStart('&'));
            table.Add("lookup of " + name, $"{time:0.0} us");
            table.Check(time > 0, $"{time} us for a lookup cannot be");
        }

        table.Add("lookup that no index serves, through all of them in steps of 1,000", $"{await ScanAsync(core):0.00} s");
        table.Check(directory.Count == count + 1, $"{directory.Count} registrations are there, and not {count + 1}");
        table.CheckFigure(each > one.Bytes.Length, $"{each} B for a registration of {one.Bytes.Length} B cannot be");
    }

    private static async Task<double> RegisterAsync(DirectoryServerState core, int from, int count)
    {
        long start = TimeProvider.System.GetTimestamp();
        for (int i = from; i < from + count; i++)
        {
            Registration made = Registered.Make(i);
            CoapTableKey key = core.KeyOf(default, made.Endpoint);
            if (await core.Room.AdmitAsync(key, made, isVerified: true, CancellationToken.None) is not null)
            {
                throw new InvalidOperationException($"The directory refused registration {i}.");
            }

            await core.AskAsync(
                key, DirectorySlotOwnerRequest.Operation.Register, Registered.ByWhom(i), null, made.Bytes, CancellationToken.None);
        }

        return count / TimeProvider.System.GetElapsedTime(start).TotalSeconds;
    }

    private static async Task<double> RefreshAsync(DirectoryServerState core, int count)
    {
        byte[] update = new RegistrationUpdate { Base = "coap://[2001:db8::1]"u8, HasOwnBase = false }.ToArray();
        long start = TimeProvider.System.GetTimestamp();
        for (int i = 0; i < count; i++)
        {
            await core.AskAsync(
                core.KeyOf(default, Utf8($"node-{i}")), DirectorySlotOwnerRequest.Operation.Update, Registered.ByWhom(i), null, update,
                CancellationToken.None);
        }

        return count / TimeProvider.System.GetElapsedTime(start).TotalSeconds;
    }

    private static double Lookup(DirectoryServerState core, int count, Func<int, string> query)
    {
        bool ofLinks = !query(0).StartsWith("ep=", StringComparison.Ordinal);
        ArrayBufferWriter<byte> answer = new(4096);
        long found = 0;
        long start = 0;
        for (int i = -count / 10; i < count; i++)
        {
            if (i == 0)
            {
                start = TimeProvider.System.GetTimestamp();
            }

            _ = ResourceDirectory.Lookups.Lookup.TryRead(query(Math.Abs(i)).Split('&'), ofLinks, 16, out Lookup? lookup);
            answer.ResetWrittenCount();
            if (core.Lookups.Run(lookup!, 0, answer) != LookupFault.None)
            {
                throw new InvalidOperationException($"{query(i)} was refused.");
            }

            found += answer.WrittenCount;
        }

        return found == 0
            ? throw new InvalidOperationException($"{query(0)} found nothing.")
            : TimeProvider.System.GetElapsedTime(start).TotalMicroseconds / count;
    }

    // What the last registration alone has would be found by chance; this is found nowhere, so that all are looked at.
    private static async Task<double> ScanAsync(DirectoryServerState core)
    {
        _ = ResourceDirectory.Lookups.Lookup.TryRead(["ct=111"], ofLinks: true, 16, out Lookup? lookup);
        ArrayBufferWriter<byte> answer = new();
        LookupProgress progress = core.Lookups.Begin(lookup!);
        long start = TimeProvider.System.GetTimestamp();
        LookupFault fault = await core.Scans.FinishAsync(default, lookup!, 0, answer, progress, CancellationToken.None);
        return fault == LookupFault.None && answer.WrittenCount == 0
            ? TimeProvider.System.GetElapsedTime(start).TotalSeconds
            : throw new InvalidOperationException($"A lookup of what is nowhere ended by {fault} with {answer.WrittenCount} bytes.");
    }

    private static byte[] Utf8(string text) => Encoding.UTF8.GetBytes(text);
}
