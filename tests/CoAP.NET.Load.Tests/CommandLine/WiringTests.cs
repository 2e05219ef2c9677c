using CoAP.NET.Diagnostics;
using CoAP.NET.Load.CommandLine;
using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Running;

namespace CoAP.NET.Load.Tests.CommandLine;

/// <summary>All parts together, as they are called.</summary>
public sealed class WiringTests
{
    private static readonly string[] s_short = ["--seconds", "0.3", "--warm-up", "0.1", "--ramp", "0.1", "--timeout", "20"];

    [Fact]
    public async Task An_observing_run_reports_changes_and_the_number_of_observers_with_the_last_state()
    {
        await using NumberServer server = await NumberServer.StartAsync("5", number => number);
        (int code, string output,
            string error) =
            await Called.RunAsync([server.Uri, "--loop", "observe", "--rate", "40", "--peers", "7", "--strict", .. s_short]);
        Assert.Equal(0, code);
        Assert.All(new[] { "notifications/s", "changes", "converged", "7 of 7", "shortest ms", "p95 ms", "to last p50 ms" },
            name => output.Mentions(name));
        Assert.All(new[] { "== 7 peers ==", "connecting", "measuring", "ending" },
            name => error.Mentions(name));
        Assert.Equal(0, server.ObserverCount);
    }

    [Fact]
    public async Task Observers_that_cannot_register_fail_a_strict_run()
    {
        await using NumberServer server = await NumberServer.StartAsync("5", null);
        (int code, string output,
            string error) = await Called.RunAsync([server.Uri.Replace("/number", "/plain"), "--loop", "observe",
                "--peers", "3", "--strict", "--quiet", .. s_short]);
        Assert.Equal(1, code);
        output.Mentions("3 x register: not observable");
        Assert.Equal("Failed (--strict): 3 peers: 3 errors, 0 lost." + Environment.NewLine, error);
    }

    [Fact]
    public async Task Workers_generate_the_load_of_all_levels_and_the_report_does_not_contain_the_worker_key()
    {
        await LongEnough.RunAsync(async factor =>
        {
            await using TestServer server = await TestServer.StartAsync();
            await using CalledWorker first = new("--worker-key", "secret");
            await using CalledWorker second = new("--worker-key", "secret");
            string workers = $"{await first.AddressAsync()},{await second.AddressAsync()}";
            string seconds = (0.3 * factor).ToString(CultureInfo.InvariantCulture);
            (int code, string output,
                string error) = await Called.RunAsync(
                    [server.Uri + "/hello", "--peers", "2,5", "--workers", workers, "--worker-key", "secret", "--json", "-", "--strict",
                    "--seconds", seconds, .. s_short.Skip(2)]);
            if (code == 1 && error.Contains("no answers"))
            {
                return false;
            }

            Assert.True(code == 0, error);
            LoadReport report = LoadReport.Parse(output);
            Assert.Equal([(2, 2), (5, 2)], report.Runs.Select(run => (run.Plan.Peers, run.Workers)));
            Assert.All(report.Runs, run => Assert.InRange(run.Count, 1, long.MaxValue));
            Assert.InRange(server.Count, report.Runs.Sum(run => run.Count), long.MaxValue);

            // The second level has the addresses of the first one and three more, from other ports.
            Assert.Equal(7, server.Peers.Count);
            Assert.Equal(5, server.Peers.Keys.Select(peer => peer.ToIPAddress()).Distinct().Count());
            (output + error).Omits("secret");
            report.Command.Mentions("--worker-key ***");
            Assert.Equal((0, 0), (await first.StopAsync(), await second.StopAsync()));
            return true;
        });
    }

    [Fact]
    public async Task Observers_of_all_workers_are_registered_before_the_first_change()
    {
        NumberServer? registered = null;
        List<int> observers = [];
        await using NumberServer server = await NumberServer.StartAsync("5", number =>
        {
            lock (observers)
            {
                observers.Add(Volatile.Read(ref registered)!.ObserverCount);
            }

            return number;
        });
        Volatile.Write(ref registered, server);
        await using CalledWorker first = new();
        await using CalledWorker second = new();
        string workers = $"{await first.AddressAsync()},{await second.AddressAsync()}";
        (int code, string output,
            _) = await Called.RunAsync(
                [server.Uri, "--loop", "observe", "--rate", "40", "--peers", "9", "--workers", workers, "--quiet", "--strict", .. s_short]);
        Assert.Equal(0, code);
        output.Mentions("9 of 9");
        lock (observers)
        {
            Assert.Equal(9, observers[0]);
        }
    }

    [Fact]
    public async Task The_error_of_a_worker_is_shown_as_the_worker_reports_it()
    {
        await using CalledWorker worker = new();
        (int code, string output,
            string error) = await Called.RunAsync(
                ["coap://127.0.0.1/x", "--bind", "192.0.2.1", "--workers", await worker.AddressAsync(), "--quiet", .. s_short]);
        Assert.Equal((1, ""), (code, output));
        error.Mentions("192.0.2.1");
        error.Omits("Exception");
        await worker.StopAsync();
        (code, _, error) = await Called.RunAsync(
            ["coap://127.0.0.1/x", "--workers", await worker.AddressAsync(), "--quiet", "--server-process", "2147483647"]);
        Assert.Equal(1, code);
        error.Mentions("is not reachable");
    }

    [Fact]
    public async Task A_saved_report_is_shown_and_drawn_again()
    {
        await using TestServer server = await TestServer.StartAsync();
        string folder = Directory.CreateTempSubdirectory().FullName;
        try
        {
            (string json, string html, string again) = (Path.Combine(folder, "a.json"), Path.Combine(folder, "a.html"),
                Path.Combine(folder, "b.html"));
            (int code, string table,
                _) = await Called.RunAsync([server.Uri + "/hello", "--peers", "1,2", "--json", json, "--html", html, .. s_short]);
            Assert.Equal(0, code);
            (code, string shown, string error) = await Called.RunAsync(["report", json, "--html", again]);
            Assert.Equal((0, table, ""), (code, shown, error));
            Assert.Equal(await File.ReadAllTextAsync(html), await File.ReadAllTextAsync(again));
            (await File.ReadAllTextAsync(html)).Mentions("<svg");
            await File.WriteAllTextAsync(json, """{"begun":"2026-01-01T00:00:00Z","machine":"","command":"","runs":[null]}""");
            (code, shown, error) = await Called.RunAsync(["report", json]);
            Assert.Equal((1, ""), (code, shown));
            error.Mentions("is not a report");
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task Datagrams_lost_at_the_load_generator_are_counted_and_shown_separately()
    {
        await using LoadPeers peers = await LoadPeers.OpenAsync(new LoadPlan { Uri = "coap://[::1]/x", Peers = 2 }, CancellationToken.None);
        peers[0].Client.Endpoint.Counters.Add(CoapCounter.KernelDrops, 3);
        peers[1].Client.Endpoint.Counters.Add(CoapCounter.KernelDrops, 4);
        Assert.Equal(7, peers.OwnDrops);

        LoadResult run = Reports.Run(10, 100, 5);
        LoadReport report = Reports.Of(LoadResult.Merge(run.Plan, [run with { OwnDrops = 7 }, run with { OwnDrops = 70 }]));
        Assert.Equal(77, LoadReport.Parse(report.ToJson()).Runs[0].OwnDrops);
        Reports.Parse(report).ToString().Mentions("lost here");
        Reports.Parse(Reports.Of(run)).ToString().Omits("lost here");
        StringWriter table = new(CultureInfo.InvariantCulture);
        ReportTable.Write(table, report);
        table.ToString().Mentions("this program lost 77 datagrams in its own");
    }
}
