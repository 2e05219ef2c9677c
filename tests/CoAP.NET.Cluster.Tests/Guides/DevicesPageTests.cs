namespace CoAP.NET.Cluster.Tests.Guides;

/// <summary>The snippets of docs/devices.md, so that they compile. What they do is tested elsewhere.</summary>
public sealed class DevicesPageTests
{
    [Fact]
    public void Every_snippet_of_the_page_is_in_these_tests() =>
        Snippets.AllStandInTests("devices.md", "Guides", 3, "CoAP.NET.Cluster.Tests", "CoAP.NET.Orleans.Tests");

    [Fact]
    public void The_page_states_the_defaults()
    {
        string page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "devices.md"));
        CoapDeviceOptions options = new();

        page.Mentions($"| `TriesBeforeAsleep` | {options.TriesBeforeAsleep} |");
        page.Mentions($"| `RetryAsleepAfter` | {options.RetryAsleepAfter.TotalMinutes} min |");
        page.Mentions($"| `RememberFor` | {options.RememberFor.Days} days |");
        page.Mentions($"`MaxObservationsPerDevice` ({options.MaxObservationsPerDevice})");
        page.Mentions($"`MaxQueuedPerDevice` ({options.MaxQueuedPerDevice})");
        page.Mentions($"`MaxQueued` ({options.MaxQueued:N0} a node)");
        page.Mentions($"`MaxQueuedPerCaller` ({options.MaxQueuedPerCaller:N0})");
        page.Mentions($"`OutcomeLifetime` ({options.OutcomeLifetime.TotalMinutes} minutes)");
        Assert.Equal((64 * 1024 * 1024, Timeout.InfiniteTimeSpan), (options.MaxQueuedBytes, options.AwakeTime));
    }

    internal static void Serve(string[] args, byte[] secret)
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
        builder.Services.AddCoapState(options => options.Secrets = [secret])
            .UseSqlite("/var/lib/meters/coap.db")
            .DevicesAre(peer => (peer.Identity as CoapDtlsPeerIdentity)?.PskIdentity);
        builder.Services.AddCoapServer().UseDtls().KeepState();
    }

    internal static async Task ObserveAsync(ICoapDevices devices, CancellationToken cancellationToken)
    {
        await using CoapObservation power = await devices["meter-7"].ObserveAsync("/3305/0/5800", cancellationToken);
        await foreach (CoapResponse response in power.ReadAllAsync(cancellationToken))
        {
            Console.WriteLine(response.GetText());
        }
    }

    internal static async Task QueueAsync(ICoapDevices devices, CancellationToken cancellationToken)
    {
        CoapDeviceRequestOptions options = new() { Queue = true, Lifetime = TimeSpan.FromHours(12) };
        CoapRequest put = new(CoapMethod.Put, "/3306/0/5850") { Content = CoapContent.Text("1") };

        // Waits here until the device is awake.
        CoapResponse now = await devices["valve-3"].SendAsync(put, options, cancellationToken);

        // Puts the request into the store. Any node can wait for the response, after a restart too.
        CoapQueuedRequest queued = await devices["valve-3"].QueueAsync(put, options, cancellationToken);
        CoapResponse later = await devices["valve-3"].WaitAsync(queued.Id, cancellationToken);
        Assert.Equal(now.Code, later.Code);
    }

    public sealed class Meters(ICoapDevices devices)
    {
        public async Task<string> ReadAsync(string id, CancellationToken cancellationToken)
        {
            CoapResponse response = await devices[id].GetAsync("/3303/0/5700", cancellationToken);
            return response.EnsureSuccess().GetText();
        }
    }
}
